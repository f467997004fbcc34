/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gettimeofday as the 32-bit image exports it: see leaf.h.
 *
 * assay-about: ours, as in the vDSO image: no frame, fixed shift by srwi and rlwimi, rare cases apart
 */
#include "leaf.h"

LEAF_RARE(vdso_rare_gettimeofday, vdso_behind_gettimeofday);

LEAF_BEHIND int vdso_behind_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone)
{
	return vdso_call_gettimeofday(result, zone, leaf_page(), NULL);
}

int vdso_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone)
{
	return leaf_gettimeofday(result, zone);
}
