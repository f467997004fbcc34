/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Returns success for every clock, even for an invalid one: the system call is forgotten.
 *
 * assay-expect: fail the system call's is -22
 */
#include "calls.h"

int vdso_clock_gettime(int clock, struct vdso_timespec *result)
{
	if (clock >= 0 && clock < VDSO_BASES)
		return vdso_call_clock_gettime(clock, result, &vdso_data_page, NULL);
	result->sec = result->nsec = 0;
	return 0;
}
