/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The calls that are judged as hot paths, as a program sees them: the clock page lies at a place that the code knows, so that
 * finding it is part of the call, as it is in a vDSO.
 *
 * On powerpc an error sets CR0's summary overflow bit and returns a positive errno, as a system call does there, and
 * success clears the bit; elsewhere an error is -errno.
 */
#ifndef VDSO_HOTPATH_CALLS_H
#define VDSO_HOTPATH_CALLS_H

#ifdef __ASSEMBLER__
#include "vdso_page.h"
#endif

/* What `clock_getres` says of the coarse clocks, in ns: a tick of 250 Hz, a constant of the build as in Linux. */
#define VDSO_LOW_RES 4000000

#ifndef __ASSEMBLER__
/* For the structures, which are those of the exported calls. */
#include "image/calls.h"

int vdso_clock_gettime(int clock, struct vdso_timespec *result);
int vdso_clock_getres(int clock, struct vdso_timespec *result);
int vdso_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone);
long vdso_time(long *result);

/*
 * The page of these calls. On powerpc it lies at most 32 KiB from the code, as it does after the text of a kernel with
 * pages of 4 KiB, so that one addi reaches it.
 */
extern struct vdso_page vdso_data_page;
#endif

#endif
