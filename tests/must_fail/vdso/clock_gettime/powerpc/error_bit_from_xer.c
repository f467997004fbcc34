/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Leaves CR0 as the last compare made it: its error bit is a copy of XER's summary overflow then, which the program may have
 * set long ago. With the bit clear all is well.
 *
 * assay-expect: fail with XER's summary overflow bit set
 */
#include "leaf.h"

static const unsigned int clocks = VDSO_HRES_CLOCKS | VDSO_COARSE_CLOCKS | VDSO_RAW_CLOCKS;

int vdso_rare_clock_gettime(int clock, struct vdso_timespec *result);
int vdso_behind_clock_gettime(int clock, struct vdso_timespec *result);

LEAF_RARE(vdso_rare_clock_gettime, vdso_behind_clock_gettime);

LEAF_BEHIND int vdso_behind_clock_gettime(int clock, struct vdso_timespec *result)
{
	return vdso_call_clock_gettime(clock, result, leaf_page(), NULL);
}

int vdso_clock_gettime(int clock, struct vdso_timespec *result)
{
	int status = 0;

	if ((uint32_t)clock >= VDSO_BASES || !(1u << clock & clocks))
		return vdso_rare_clock_gettime(clock, result);
	if (vdso_behind_clock_gettime(clock, result))
		result->sec = 0;
	__asm__ volatile("cmpwi %%cr0, %0, 0" : : "r"(status) : "cr0");
	return status;
}
