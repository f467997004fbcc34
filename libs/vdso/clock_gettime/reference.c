/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_gettime by exact arithmetic: a clock of the page is (counter - cycle_last) * mult + base, shifted; a coarse one is its
 * base; every other number goes to the system call. The page must not be written meanwhile.
 */
#include "calls.h"
#include "convention.h"
#include "test_system_call.h"
#include "exact.h"
#include "test_counter.h"

int vdso_clock_gettime(int clock, struct vdso_timespec *result)
{
	struct vdso_exact_time time;

	if (clock < 0 || clock >= VDSO_BASES || !(1u << clock & (VDSO_HRES_CLOCKS | VDSO_COARSE_CLOCKS | VDSO_RAW_CLOCKS)))
		return vdso_return(test_clock_call(TEST_CLOCK_GETTIME, clock, result));
	time = vdso_exact_at(&vdso_data_page, (uint32_t)clock, test_counter());
	result->sec = (long)time.sec;
	result->nsec = (long)time.nsec;
	return vdso_succeed();
}
