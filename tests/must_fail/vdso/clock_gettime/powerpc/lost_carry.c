/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds the base to the product word by word and forgets the carry between them: now and then the time is early by
 * 2^32 / 2^shift nanoseconds.
 *
 * assay-expect: fail the time just before the call
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
	const struct vdso_data *block = leaf_page()->data;
	uint32_t low, high, ns;
	uint64_t product, base;

	if (clock != VDSO_CLOCK_MONOTONIC)
		return vdso_rare_clock_gettime(clock, result);
	product = (vdso_counter() - block->cycle_last) * block->mult;
	base = block->basetime[clock].nsec;
	low = (uint32_t)product + (uint32_t)base;
	high = (uint32_t)(product >> 32) + (uint32_t)(base >> 32);
	ns = high << 8 | low >> VDSO_FIXED_SHIFT;
	result->sec = (long)block->basetime[clock].sec;
	if (high >> VDSO_FIXED_SHIFT || ns >= VDSO_NSEC_PER_SEC)
		return vdso_rare_clock_gettime(clock, result);
	result->nsec = (long)ns;
	return vdso_succeed();
}
