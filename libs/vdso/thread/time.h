/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* time of the thread at the steps that the includer chose. */
#include "thread/series.h"

long thread_time(long *result PAGE_ARGUMENT);

BEHIND_ENTRY long thread_time(long *result PAGE_ARGUMENT)
{
	long now = (long)read_once(PAGE->data[VDSO_BLOCK_HRES_COARSE].basetime[VDSO_CLOCK_REALTIME].sec);

	if (result)
		*result = now;
	return now;
}

ENTRY_TIME(vdso_time, thread_time, r4);
