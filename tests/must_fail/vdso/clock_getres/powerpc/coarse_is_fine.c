/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Returns the fine clock's resolution for the coarse clock.
 *
 * assay-expect: fail the resolution is 0 s
 */
#include "leaf.h"

int vdso_clock_getres(int clock, struct vdso_timespec *result)
{
	if (clock == VDSO_CLOCK_REALTIME_COARSE)
		clock = VDSO_CLOCK_REALTIME;
	return vdso_return(vdso_call_clock_getres(clock, result, leaf_page()));
}
