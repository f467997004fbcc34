/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_getres as the 32-bit image exports it: see leaf.h.
 *
 * assay-about: ours, as in the vDSO image: no frame
 */
#include "leaf.h"

LEAF_RARE(vdso_rare_clock_getres, vdso_behind_clock_getres);

LEAF_BEHIND int vdso_behind_clock_getres(int clock, struct vdso_timespec *result)
{
	return vdso_call_clock_getres(clock, result, leaf_page());
}

int vdso_clock_getres(int clock, struct vdso_timespec *result)
{
	return leaf_clock_getres(clock, result);
}
