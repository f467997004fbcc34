/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shifts the coarse clocks' nanoseconds, which only the fine clocks' need.
 *
 * assay-expect: fail the time just
 */
#include "calls.h"

int vdso_clock_gettime(int clock, struct vdso_timespec *result)
{
	int status = vdso_call_clock_gettime(clock, result, &vdso_data_page, NULL);

	if (status == 0 && (clock == VDSO_CLOCK_REALTIME_COARSE || clock == VDSO_CLOCK_MONOTONIC_COARSE))
		result->nsec >>= vdso_data_page.data[0].shift;
	return status;
}
