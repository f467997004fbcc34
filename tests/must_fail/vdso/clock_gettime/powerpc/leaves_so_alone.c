/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Returns 0 as C does: CR0's summary overflow bit is whatever the last compare copied from XER, so a program with XER[SO] set
 * takes success for an error.
 *
 * assay-expect: fail in CR0 that this is
 */
#include "calls.h"

int vdso_clock_gettime(int clock, struct vdso_timespec *result)
{
	return vdso_call_clock_gettime(clock, result, &vdso_data_page, NULL);
}
