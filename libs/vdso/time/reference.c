/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* time: the seconds of realtime as they were at the last update; it cannot fail. */
#include "calls.h"
#include "convention.h"

long vdso_time(long *result)
{
	long now = (long)vdso_data_page.data[0].basetime[VDSO_CLOCK_REALTIME].sec;

	if (result)
		*result = now;
	return vdso_succeed_with(now);
}
