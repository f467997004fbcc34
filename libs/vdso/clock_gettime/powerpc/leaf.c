/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_gettime as the 32-bit image exports it: see leaf.h.
 *
 * assay-about: ours, as in the vDSO image: no frame, fixed shift by srwi and rlwimi, rare cases apart
 */
#include "leaf.h"

extern const unsigned char vdso_takes_long_deltas;
const unsigned char vdso_takes_long_deltas = 1;

LEAF_RARE(vdso_rare_clock_gettime, vdso_behind_clock_gettime);

LEAF_BEHIND int vdso_behind_clock_gettime(int clock, struct vdso_timespec *result)
{
	return vdso_call_clock_gettime(clock, result, leaf_page(), NULL);
}

int vdso_clock_gettime(int clock, struct vdso_timespec *result)
{
	return leaf_clock_gettime(clock, result);
}
