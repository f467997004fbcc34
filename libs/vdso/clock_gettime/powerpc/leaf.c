/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_gettime without a frame and with a fixed shift: see leaf.h.
 *
 * assay-about: ours: no frame, fixed shift by srwi and rlwimi, rare cases apart
 */
#include "leaf.h"

int vdso_rare_clock_gettime(int clock, struct vdso_timespec *result);
int vdso_behind_clock_gettime(int clock, struct vdso_timespec *result);

LEAF_RARE(vdso_rare_clock_gettime, vdso_behind_clock_gettime);

LEAF_BEHIND int vdso_behind_clock_gettime(int clock, struct vdso_timespec *result)
{
	return vdso_call_clock_gettime(clock, result, leaf_page(), NULL);
}

int vdso_clock_gettime(int clock, struct vdso_timespec *result)
{
	uint32_t number = (uint32_t)clock, bit, seconds, nanoseconds;
	const struct vdso_data *block;

	if (VDSO_UNLIKELY(number >= VDSO_BASES))
		return vdso_rare_clock_gettime(clock, result);
	block = leaf_page()->data;
	bit = 1u << number;
	if (VDSO_LIKELY(bit & VDSO_HRES_CLOCKS)) {
		if (VDSO_UNLIKELY(!leaf_high_resolution(block, number, &seconds, &nanoseconds)))
			return vdso_rare_clock_gettime(clock, result);
	} else if (bit & VDSO_COARSE_CLOCKS) {
		if (VDSO_UNLIKELY(!leaf_coarse(block, number, &seconds, &nanoseconds)))
			return vdso_rare_clock_gettime(clock, result);
	} else if (bit & VDSO_RAW_CLOCKS) {
		if (VDSO_UNLIKELY(!leaf_high_resolution(block + VDSO_BLOCK_RAW, number, &seconds, &nanoseconds)))
			return vdso_rare_clock_gettime(clock, result);
	} else {
		return vdso_rare_clock_gettime(clock, result);
	}
	result->sec = (long)seconds;
	result->nsec = (long)nanoseconds;
	return vdso_succeed();
}
