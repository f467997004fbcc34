/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fast path of the calls of 32-bit PowerPC's image: leaf.h, which the hot paths' variant `leaf` uses, too. Rare cases go on
 * in powerpc.S.
 *
 * A caller need not have a frame, and r30 is Go's, so these may touch neither the stack nor a callee-saved register. The build
 * of the image searches this file's code for both.
 */
#define LEAF_PAGE "vdso_page"
/* LR is DWARF's register 65, r0 its register 0. */
#define LEAF_LR_IN_R0 ".cfi_register 65, 0\n\t"
#define LEAF_LR_BACK ".cfi_restore 65\n\t"
#include "leaf.h"

__asm__(".hidden vdso_page");

int __kernel_clock_gettime(int32_t clock, struct vdso_timespec *result)
{
	return leaf_clock_gettime(clock, result);
}

int __kernel_clock_gettime64(int32_t clock, struct vdso_timespec64 *result)
{
	return leaf_clock_gettime64(clock, result);
}

int __kernel_clock_getres(int32_t clock, struct vdso_timespec *result)
{
	return leaf_clock_getres(clock, result);
}

int __kernel_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone)
{
	return leaf_gettimeofday(result, zone);
}

long __kernel_time(long *result)
{
	return leaf_time(result);
}
