/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Returns nanoseconds where microseconds belong.
 *
 * assay-expect: fail the time just
 */
#include "calls.h"
#include "convention.h"

int vdso_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone)
{
	int status = vdso_call_gettimeofday(result, zone, &vdso_data_page, NULL);

	if (status == 0 && result)
		result->usec *= 1000;
	return vdso_return(status);
}
