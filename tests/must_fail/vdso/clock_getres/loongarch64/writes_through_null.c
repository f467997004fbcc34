/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes the result without a test for a NULL pointer.
 *
 * assay-expect: fail SIGSEGV
 */
#include "calls.h"

int vdso_clock_getres(int clock, struct vdso_timespec *result)
{
	*(volatile long *)&result->sec = 0;
	return vdso_call_clock_getres(clock, result, &vdso_data_page);
}
