/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_getres: the resolution in the page for clocks that read the counter, a tick for coarse ones, the system call's
 * result for every other number.
 */
#include "calls.h"
#include "convention.h"
#include "test_system_call.h"

int vdso_clock_getres(int clock, struct vdso_timespec *result)
{
	uint32_t bit = clock >= 0 && clock < VDSO_BASES ? 1u << clock : 0;

	if (!(bit & (VDSO_HRES_CLOCKS | VDSO_COARSE_CLOCKS | VDSO_RAW_CLOCKS)))
		return vdso_return(test_clock_call(TEST_CLOCK_GETRES, clock, result));
	if (result) {
		result->sec = 0;
		result->nsec = bit & VDSO_COARSE_CLOCKS ? VDSO_LOW_RES : (long)vdso_data_page.data[0].hrtimer_res;
	}
	return vdso_succeed();
}
