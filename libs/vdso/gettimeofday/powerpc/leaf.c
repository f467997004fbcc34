/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gettimeofday without a frame and with a fixed shift: see leaf.h. Nearly nobody asks for the time zone, and nobody for
 * nothing.
 *
 * assay-about: ours: no frame, fixed shift by srwi and rlwimi, rare cases apart
 */
#include "leaf.h"

enum { NSEC_PER_USEC = 1000 };

int vdso_rare_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone);
int vdso_behind_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone);

LEAF_RARE(vdso_rare_gettimeofday, vdso_behind_gettimeofday);

LEAF_BEHIND int vdso_behind_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone)
{
	return vdso_call_gettimeofday(result, zone, leaf_page(), NULL);
}

int vdso_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone)
{
	uint32_t seconds, nanoseconds;

	if (VDSO_UNLIKELY(zone || !result))
		return vdso_rare_gettimeofday(result, zone);
	if (VDSO_UNLIKELY(!leaf_high_resolution(leaf_page()->data, VDSO_CLOCK_REALTIME, &seconds, &nanoseconds)))
		return vdso_rare_gettimeofday(result, zone);
	result->sec = (long)seconds;
	result->usec = (long)(nanoseconds / NSEC_PER_USEC);
	return vdso_succeed();
}
