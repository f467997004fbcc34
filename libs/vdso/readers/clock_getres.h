/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_getres by the library's reader, vdso_read.h, which is what the vDSO images export: any architecture, any shift,
 * bounded tries. Here the page lies at an address that the linker knows; an image finds it relative to its own address.
 */
#include "calls.h"
#include "convention.h"

int vdso_clock_getres(int clock, struct vdso_timespec *result)
{
	return vdso_return(vdso_call_clock_getres(clock, result, &vdso_data_page));
}
