/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A clock over a page that somebody else writes: for a program, a guest or a unikernel that maps the page and has no image.
 *
 * vdso_clock_attach checks once that this is a page, of this version, and long enough. After that vdso_clock_now costs what
 * the image's call costs. All of it is safe in signal handlers; nothing is allocated. Where a page has no answer the
 * caller is told (VDSO_CLOCK_NO_ANSWER) and asks whatever it has: the system call, a hypercall, a device.
 */
#ifndef VDSO_CLOCK_H
#define VDSO_CLOCK_H

#include "vdso_read.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vdso_clock_result {
	VDSO_CLOCK_OK = 0,
	VDSO_CLOCK_NO_PAGE, /* NULL, or not at a multiple of 8 */
	VDSO_CLOCK_SHORT, /* fewer bytes than a page has */
	VDSO_CLOCK_NOT_A_PAGE, /* another magic number: never written, of the other byte order, or something else */
	VDSO_CLOCK_OTHER_VERSION,
	VDSO_CLOCK_NO_ANSWER, /* a clock that no page has, or one that this page cannot tell now */
	VDSO_CLOCK_NO_BOUND, /* the writer does not know how wrong the wall clock is */
};

/* A sentence for people. */
const char *vdso_clock_describe(enum vdso_clock_result result);

struct vdso_clock {
	const struct vdso_page *page;
	const void *hypervisor; /* pvclock's or Hyper-V's page, for the modes that need it; NULL: none */
	uint64_t generation; /* when it was attached, or last acknowledged */
};

/* `bytes` is how many are mapped at `page`; the page stays mapped, a file behind it uncut, as long as the clock is used. */
enum vdso_clock_result vdso_clock_attach(struct vdso_clock *clock, const void *page, size_t bytes, const void *hypervisor);

/* A clock by Linux's number: VDSO_CLOCK_*. */
static inline enum vdso_clock_result vdso_clock_now(const struct vdso_clock *clock, int32_t id, struct vdso_time *now)
{
	return vdso_read_time(clock->page, clock->hypervisor, id, now) == VDSO_OK ? VDSO_CLOCK_OK : VDSO_CLOCK_NO_ANSWER;
}

/*
 * The wall clock with its error: the true time is not before `earliest` and not after `latest`, if what the page's writer
 * says of itself is true. VDSO_CLOCK_NO_BOUND if the writer does not know its error: the kernel that it follows has not been
 * synchronised, or nobody has set the clock since a restore from a snapshot.
 */
struct vdso_bounds {
	struct vdso_time earliest, now, latest;
	uint64_t generation;
};
enum vdso_clock_result vdso_clock_now_with_bounds(const struct vdso_clock *clock, struct vdso_bounds *bounds);

/*
 * Whether the page's generation has changed since the last call (or since attach): the machine was restored from a snapshot
 * or migrated meanwhile, so measurements across that moment are void.
 */
bool vdso_clock_disrupted(struct vdso_clock *clock);

#ifdef __cplusplus
}
#endif

#endif
