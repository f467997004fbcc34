/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the raw clock from the block of the other clocks, which has another rate.
 *
 * assay-expect: fail the time just
 * assay-requires: rdtscp
 */
#include "calls.h"

int vdso_clock_gettime(int clock, struct vdso_timespec *result)
{
	struct vdso_time now;

	if (clock != VDSO_CLOCK_MONOTONIC_RAW)
		return vdso_call_clock_gettime(clock, result, &vdso_data_page, NULL);
	vdso_try_hres(&vdso_data_page, VDSO_BLOCK_HRES_COARSE, VDSO_CLOCK_MONOTONIC_RAW, &now);
	result->sec = (long)now.sec;
	result->nsec = (long)now.nsec;
	return 0;
}
