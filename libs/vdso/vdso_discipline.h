/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keeps a clock page at the time of the kernel that this process runs on. No libc: system calls are made here.
 *
 * vdso_discipline_start measures the counter against the kernel's clocks and starts the page; vdso_discipline_update is
 * to be called every few milliseconds to a second (by a thread: updater/). Each update brackets readings of the kernel's
 * clocks by readings of the counter, steers the rates of the monotonic clocks against the page's error, and
 * narrows what is known of the offsets of the other clocks: every bracket gives an interval that the true offset lies in, and
 * the intersection of all of them soon is some nanoseconds wide. A bracket that contradicts it is a step of the kernel's clock.
 *
 * A page that is off by more than a millisecond is not steered but set to the kernel's clocks: the counter ran on in a sleep of
 * the machine, or was set back, or has another frequency, or the kernel's clock is slewed by percents. If it had shown more than
 * the kernel's clocks do, it has no counter until they have caught up. Another frequency is measured, and is taken once two updates
 * agree on it. A page that is not updated for four intervals, and for a second at least, has no answer, so readers do not go on
 * after a sleep or a writer's end.
 */
#ifndef VDSO_DISCIPLINE_H
#define VDSO_DISCIPLINE_H

#include "vdso_writer.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An offset to the monotonic clock, in nanoseconds: between these two. */
struct vdso_interval {
	int64_t low, high;
};

/* A moment: the counter, and a clock of the kernel at the same time. */
struct vdso_moment {
	uint64_t cycles;
	int64_t ns;
	uint64_t bracket_ns; /* how far apart the two may be */
};

/* One of the two clocks whose rate is steered: CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW. */
struct vdso_loop {
	int32_t clock;
	struct vdso_moment older, newer; /* the rate is measured from the older one, which is some seconds ago */
	int64_t rate_ppb; /* against the writer's nominal frequency */
	int64_t error_ns; /* the page minus the kernel, at the last update */
	int64_t shown_ns; /* the latest time that readers may have been given before the counter jumped */
	uint64_t bracket_ns; /* how well that is known */
	uint32_t drift_ppb; /* by how much it may grow until the next update: uncertainty of the rate, and steering */
};

struct vdso_discipline {
	struct vdso_writer writer;
	struct vdso_source counter; /* mode VDSO_CLOCKMODE_NONE: there is none */
	struct vdso_loop monotonic, raw;
	uint64_t counter_step; /* the least by which the counter was seen to move, in its own units */
	struct vdso_interval realtime, boottime;
	uint64_t reference_error_ns; /* of the kernel's wall clock; UINT64_MAX: not known */
	uint32_t reference_drift_ppb; /* by which that grows */
	bool was_set; /* by the last update: to the kernel's clocks, not steered */
	uint64_t steps_count; /* of the kernel's wall clock that were followed */
	uint64_t updates_count;
};

enum vdso_discipline_result {
	VDSO_DISCIPLINE_OK = 0,
	VDSO_DISCIPLINE_NO_COUNTER, /* the page is started, with coarse clocks alone */
	VDSO_DISCIPLINE_NO_CLOCKS, /* the kernel's clocks cannot be read (a filter of system calls); the page is untouched */
};

/* A sentence for people. */
const char *vdso_discipline_describe(enum vdso_discipline_result result);

/*
 * VDSO_DISCIPLINE_NO_COUNTER if the processor has no counter that can be trusted (x86-64 without rdtscp or an invariant TSC):
 * then the page is started with VDSO_CLOCKMODE_NONE, and updates keep its coarse clocks.
 */
enum vdso_discipline_result vdso_discipline_start(struct vdso_discipline *discipline, struct vdso_page *page);
/* `interval_ns`: when the next update will be, about. False if the kernel's clocks could not be read: the page is as before. */
bool vdso_discipline_update(struct vdso_discipline *discipline, uint64_t interval_ns);

/*
 * How far the kernel's wall clock may be from true time, and by how much that grows each second; UINT64_MAX: not known, as after
 * the start. From the next update on the page's bound is this and the page's own error against the kernel's clock. As long as it
 * is not known the page's status is unknown, and readers get no bounds. Linux tells it by adjtimex, which updater/ asks; with 0
 * and 0 the bounds enclose the kernel's time, not true time.
 */
void vdso_discipline_set_reference(struct vdso_discipline *discipline, uint64_t error_ns, uint32_t drift_ppb);

/*
 * Ends the discipline: the page's mode is VDSO_CLOCKMODE_NONE from now on, so that readers fall back, and its status unknown.
 * Coarse clocks no longer advance. The page may be started anew.
 */
void vdso_discipline_stop(struct vdso_discipline *discipline);

/* Whether the architecture's counter can be read by a program and runs at one rate. */
bool vdso_counter_usable(void);

/*
 * VDSO_FLAG_GETCPU and VDSO_FLAG_RDPID as they are true of this machine: whether programs can read the processor's number where
 * Linux puts it, on each processor that this thread may run on. The thread is moved to each and back. 0 if that is not known.
 */
uint32_t vdso_getcpu_flags(void);

#ifdef __cplusplus
}
#endif

#endif
