/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* gettimeofday by exact arithmetic: the page's realtime, its nanoseconds divided by 1000; and the page's time zone. */
#include "calls.h"
#include "convention.h"
#include "exact.h"
#include "test_counter.h"

enum { NSEC_PER_USEC = 1000 };

int vdso_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone)
{
	const struct vdso_page *page = &vdso_data_page;

	if (result) {
		struct vdso_exact_time time = vdso_exact_at(page, VDSO_CLOCK_REALTIME, test_counter());

		result->sec = (long)time.sec;
		result->usec = (long)(time.nsec / NSEC_PER_USEC);
	}
	if (zone) {
		zone->minuteswest = page->data[0].tz_minuteswest;
		zone->dsttime = page->data[0].tz_dsttime;
	}
	return vdso_succeed();
}
