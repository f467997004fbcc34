/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The writer of a clock page, for a kernel's timekeeping, a VMM or a unikernel. One writer a page.
 *
 * It keeps its own state and publishes it. vdso_writer_open() makes the sequence count odd, so that readers wait;
 * vdso_writer_begin() brings the state up to a counter value that was read after that; then any of the changes below may be
 * made; vdso_writer_commit() publishes all of it and lets the readers go on. A writer that cannot be preempted in between may leave
 * out vdso_writer_open(). For one that can, the call keeps clocks from going back: without it a reader may use the old rate
 * beyond the counter value at which the new one begins, by as long as the writer was preempted.
 *
 * Continuity: begin() adds the elapsed time without rounding, so at the counter value that it was given, the time before
 * and after a commit are the same to the last bit, unless a step was asked for or another counter has a smaller shift, which
 * cuts off parts of a nanosecond. A reader whose counter lags behind that value gets the time of that value.
 *
 * No change between begin and commit lets CLOCK_MONOTONIC, _RAW or _BOOTTIME go back. Calls that take the place of begin can:
 * start begins at 0, and resume and restore go on from the last begin, so what readers saw after it comes once more.
 *
 * The counter must be read at most half its range apart: with a mask of 32 bits at 100 MHz, every 21 seconds.
 *
 * No libc. Times are seconds and nanoseconds, frequencies Hz, rates parts per billion. Functions that can refuse return a
 * VDSO_WRITER_* code and then have changed nothing.
 */
#ifndef VDSO_WRITER_H
#define VDSO_WRITER_H

#include "vdso_page.h"

#ifdef __cplusplus
extern "C" {
#endif

enum vdso_writer_result {
	VDSO_WRITER_OK = 0,
	VDSO_WRITER_BAD_FREQUENCY, /* 0, or more than 2^48 Hz */
	VDSO_WRITER_BAD_MASK, /* not of the form 2^n - 1 with n from 20 to 64 */
	VDSO_WRITER_BAD_SHIFT, /* above 30, or mult is below 2048, or so large that ten percent faster 2^32 ticks may overflow */
	VDSO_WRITER_BAD_RATE, /* beyond +-100000000 ppb, ten percent */
	VDSO_WRITER_BAD_TIME, /* nanoseconds of a billion or more, or a monotonic, raw or boot time before what the clock shows */
	VDSO_WRITER_BAD_LEAP, /* neither none, insert nor delete */
};

/* A sentence for people. */
const char *vdso_writer_describe(enum vdso_writer_result result);

/* Where the counter comes from. */
struct vdso_source {
	int32_t mode; /* VDSO_CLOCKMODE_*; _NONE: readers use the system call */
	uint32_t shift; /* 0: chosen here, VDSO_FIXED_SHIFT where the frequency allows */
	uint64_t mask;
	uint64_t frequency_hz;
};

/* A time as the page has it: nanoseconds shifted left. */
struct vdso_base {
	uint64_t sec;
	uint64_t shifted;
};

struct vdso_writer {
	struct vdso_page *page;
	struct vdso_source source;
	uint32_t seq; /* as last published: even */
	uint32_t mult_nominal; /* what the frequency gives */
	uint32_t mult_raw; /* trimmed: CLOCK_MONOTONIC_RAW's */
	uint32_t mult; /* slewed: all others' */
	uint32_t shift;
	uint64_t cycle_last;
	uint64_t lifetime_ns, lifetime_cycles;
	struct vdso_base monotonic;
	struct vdso_base raw;
	/* What is to be added to the monotonic clock; nanoseconds are 0 to 999999999. */
	struct vdso_timestamp to_realtime;
	struct vdso_timestamp to_boottime;
	struct vdso_header header;
	int32_t tz_minuteswest, tz_dsttime;
	uint32_t hrtimer_res, coarse_res;
};

/*
 * Starts a page: monotonic, raw and boot time at 0, realtime at the given time. The whole page is written, and is valid from
 * this call on. Time zone 0, TAI offset 0, resolution 1 ns, coarse resolution as given. The page may be one that a writer has
 * ended with, or was killed in, and that is being read: its readers wait.
 */
enum vdso_writer_result vdso_writer_start(struct vdso_writer *writer, struct vdso_page *page, const struct vdso_source *source,
					  uint64_t cycles, struct vdso_timestamp realtime, uint32_t coarse_res_ns);

/*
 * As start, but readers wait on until the first commit: for a writer whose monotonic, raw or boot time is not to be seen at 0.
 * Any of the changes below may come before it.
 */
enum vdso_writer_result vdso_writer_prepare(struct vdso_writer *writer, struct vdso_page *page,
					    const struct vdso_source *source, uint64_t cycles, struct vdso_timestamp realtime,
					    uint32_t coarse_res_ns);

/* To be called before the counter is read for begin. Readers wait until commit, so nothing slow may come in between. */
void vdso_writer_open(struct vdso_writer *writer);
/* Adds the time since the last update. A counter behind the last update adds nothing. Steps over a leap second if one is due. */
void vdso_writer_begin(struct vdso_writer *writer, uint64_t cycles);
void vdso_writer_commit(struct vdso_writer *writer);

/* ------------------------------------------------------------------ between begin and commit */

/* From now on all clocks but the raw one run this much faster than the counter's nominal frequency. */
enum vdso_writer_result vdso_writer_slew(struct vdso_writer *writer, int64_t rate_ppb);

/* The raw clock's rate, if the frequency was measured and is now known better. A kernel that knows it needs no such call. */
enum vdso_writer_result vdso_writer_trim(struct vdso_writer *writer, int64_t rate_ppb);

/* Sets the wall clock, or moves it. TAI moves with it. */
enum vdso_writer_result vdso_writer_set_realtime(struct vdso_writer *writer, struct vdso_timestamp realtime);
void vdso_writer_step(struct vdso_writer *writer, int64_t step_ns);

/* Monotonic, boot and raw time to times that are not before what they show; for a writer that starts behind another's. */
enum vdso_writer_result vdso_writer_set_monotonic(struct vdso_writer *writer, struct vdso_timestamp monotonic,
						  struct vdso_timestamp boottime, struct vdso_timestamp raw);

/*
 * Another counter, which is at `cycles` now. Time goes on where the last begin, with the old counter, left it. Slew and trim
 * were the old counter's and are 0 again; the lifetime stays.
 */
enum vdso_writer_result vdso_writer_switch(struct vdso_writer *writer, const struct vdso_source *source, uint64_t cycles);

/*
 * Instead of begin, after a sleep that the counter may not have counted, and before which begin and commit were called: boot
 * time, realtime and TAI go forward, monotonic and raw do not.
 */
void vdso_writer_resume(struct vdso_writer *writer, uint64_t cycles, uint64_t slept_ns);

/*
 * Instead of begin, after a restore from a snapshot or a migration: the counter is another one, and the elapsed time is
 * unknown. Otherwise as switch. Takes the next generation, sets the status to VDSO_STATUS_DISRUPTED, withdraws the error
 * bound. All clocks go on from the last begin: readers get the time between it and the snapshot once more, unless begin and
 * commit were called before the snapshot, or set_monotonic is called now with a time that is late enough. A writer that knows
 * the time sets it and the status again, in the same commit if possible.
 */
enum vdso_writer_result vdso_writer_restore(struct vdso_writer *writer, const struct vdso_source *source, uint64_t cycles);

void vdso_writer_set_tai_offset(struct vdso_writer *writer, int32_t seconds);
/* VDSO_LEAP_INSERT or _DELETE at the start of CLOCK_REALTIME's second `at`, or VDSO_LEAP_NONE. Done by begin. */
enum vdso_writer_result vdso_writer_set_leap(struct vdso_writer *writer, uint32_t leap, uint64_t at);
void vdso_writer_set_timezone(struct vdso_writer *writer, int32_t minuteswest, int32_t dsttime);
void vdso_writer_set_error(struct vdso_writer *writer, uint32_t status, uint64_t error_ns, uint32_t max_drift_ppb);
/*
 * If no commit comes for so long, readers of the counter give no answer from then on, nor if the counter is behind by as much: for
 * a writer that may end, or whose counter may run on in a sleep that the clocks do not, or begin anew. 0: a page is good for ever.
 * On PowerPC at least 2^32 ticks.
 */
void vdso_writer_set_lifetime(struct vdso_writer *writer, uint64_t ns);
/* VDSO_FLAG_GETCPU, VDSO_FLAG_RDPID, both or 0. */
void vdso_writer_set_getcpu(struct vdso_writer *writer, uint32_t flags);
/*
 * What PowerPC's __kernel_get_syscall_map points to: a bit for each of 1024 system calls, the most significant first, set if the
 * kernel has the call. Stored at once and not by commit, for programs read it without a count. A start empties it.
 */
void vdso_writer_set_syscall_map(struct vdso_writer *writer, const uint32_t map[32]);

/* ------------------------------------------------------------------ */

/*
 * What readers get at this counter value from the state as it is now; for tests of continuity and for the updater. The coarse
 * clocks stand at the last begin, and no leap second is stepped over: that is begin's. `clock` is a clock of the page.
 */
struct vdso_timestamp vdso_writer_time(const struct vdso_writer *writer, uint64_t cycles, int32_t clock);

/*
 * Makes the page of a time namespace: VDSO_PAGE_STEP before the system's page. Offsets may be negative; their nanoseconds
 * are 0 to 999999999 (-0.3 s is -1 s and 700000000 ns).
 */
enum vdso_writer_result vdso_namespace_start(struct vdso_page *page, struct vdso_timestamp monotonic,
					     struct vdso_timestamp boottime);

#ifdef __cplusplus
}
#endif

#endif
