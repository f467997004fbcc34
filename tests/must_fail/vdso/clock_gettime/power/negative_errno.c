/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clears the error bit always: an error is -errno with a bit that says success, as on other architectures.
 *
 * assay-expect: fail in CR0 that this is
 */
#include "calls.h"
#include "convention.h"

int vdso_clock_gettime(int clock, struct vdso_timespec *result)
{
	return (int)vdso_succeed_with(vdso_call_clock_gettime(clock, result, &vdso_data_page, NULL));
}
