/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gettimeofday by the library's reader, vdso_read.h, which is what the vDSO images export: any architecture, any shift,
 * bounded tries. Here the page lies at an address that the linker knows; an image finds it relative to its own address.
 */
#include "calls.h"
#include "convention.h"

int vdso_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone)
{
	return vdso_return(vdso_call_gettimeofday(result, zone, &vdso_data_page, NULL));
}
