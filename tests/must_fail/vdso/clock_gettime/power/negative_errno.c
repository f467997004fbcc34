/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Always clears CR0's error bit: an error is returned as -errno, as on other architectures, but marked as a success.
 *
 * assay-expect: fail in CR0 that this is
 */
#include "calls.h"
#include "convention.h"

int vdso_clock_gettime(int clock, struct vdso_timespec *result)
{
	return (int)vdso_succeed_with(vdso_call_clock_gettime(clock, result, &vdso_data_page, NULL));
}
