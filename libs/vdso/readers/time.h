/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * time by the library's reader, vdso_read.h, which is what the vDSO images export where the architecture has the call. Here the
 * page lies at an address that the linker knows; an image finds it relative to its own address.
 */
#include "calls.h"
#include "convention.h"

long vdso_time(long *result)
{
	return vdso_succeed_with(vdso_call_time(result, &vdso_data_page));
}
