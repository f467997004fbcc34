/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* clock_gettime of the thread at the steps that the includer chose. */
#include "thread/series.h"

int thread_clock_gettime(int clock, struct vdso_timespec *result PAGE_ARGUMENT);

BEHIND_ENTRY int thread_clock_gettime(int clock, struct vdso_timespec *result PAGE_ARGUMENT)
{
	struct wide_time time;

	if (unlikely(read_clock(PAGE, clock, &time)))
		return system_call(SYSTEM_CALL_CLOCK_GETTIME, (uint32_t)clock, (uint32_t)result);
	result->sec = (long)time.sec;
	result->nsec = (long)time.nsec;
	return 0;
}

ENTRY(vdso_clock_gettime, thread_clock_gettime, r5);
