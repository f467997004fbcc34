/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_getres without a frame: see leaf.h. The page is asked for only by clocks whose resolution stands there.
 *
 * assay-about: ours: no frame, the page found only where it is needed
 */
#include "leaf.h"

int vdso_rare_clock_getres(int clock, struct vdso_timespec *result);
int vdso_behind_clock_getres(int clock, struct vdso_timespec *result);

LEAF_RARE(vdso_rare_clock_getres, vdso_behind_clock_getres);

LEAF_BEHIND int vdso_behind_clock_getres(int clock, struct vdso_timespec *result)
{
	return vdso_call_clock_getres(clock, result, leaf_page());
}

int vdso_clock_getres(int clock, struct vdso_timespec *result)
{
	uint32_t number = (uint32_t)clock, bit, nanoseconds = VDSO_LOW_RES;

	if (VDSO_UNLIKELY(number >= VDSO_BASES))
		return vdso_rare_clock_getres(clock, result);
	bit = 1u << number;
	if (VDSO_LIKELY(bit & (VDSO_HRES_CLOCKS | VDSO_RAW_CLOCKS)))
		nanoseconds = leaf_load(leaf_page(), VDSO_HRTIMER_RES);
	else if (VDSO_UNLIKELY(!(bit & VDSO_COARSE_CLOCKS)))
		return vdso_rare_clock_getres(clock, result);
	if (VDSO_LIKELY(result)) {
		result->sec = 0;
		result->nsec = (long)nanoseconds;
	}
	return vdso_succeed();
}
