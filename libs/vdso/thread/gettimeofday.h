/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* gettimeofday of the thread at the steps that the includer chose. */
#include "thread/series.h"

enum { NSEC_PER_USEC = 1000 };

int thread_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone PAGE_ARGUMENT);

BEHIND_ENTRY int thread_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone PAGE_ARGUMENT)
{
	const struct vdso_data *block = &PAGE->data[VDSO_BLOCK_HRES_COARSE];

	if (likely(result)) {
		struct wide_time time;

		if (read_high_resolution(block, VDSO_CLOCK_REALTIME, &time))
			return system_call(SYSTEM_CALL_GETTIMEOFDAY, (uint32_t)result, (uint32_t)zone);
		result->sec = (long)time.sec;
		result->usec = (long)((uint32_t)time.nsec / NSEC_PER_USEC);
	}
	if (unlikely(zone)) {
		zone->minuteswest = block->tz_minuteswest;
		zone->dsttime = block->tz_dsttime;
	}
	return 0;
}

ENTRY(vdso_gettimeofday, thread_gettimeofday, r5);
