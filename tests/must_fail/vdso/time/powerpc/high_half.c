/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the first word of the 64-bit seconds, which on a big-endian machine is the upper half.
 *
 * assay-expect: fail returned 0 and not
 */
#include "calls.h"
#include "convention.h"

long vdso_time(long *result)
{
	long seconds = (long)*(const volatile uint32_t *)&vdso_data_page.data[0].basetime[VDSO_CLOCK_REALTIME].sec;

	if (result)
		*result = seconds;
	return vdso_succeed_with(seconds);
}
