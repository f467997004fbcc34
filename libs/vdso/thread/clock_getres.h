/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* clock_getres of the thread at the steps that the includer chose. */
#include "thread/series.h"

int thread_clock_getres(int clock, struct vdso_timespec *result PAGE_ARGUMENT);

static always_inline int read_resolution(int clock, struct wide_time *resolution PAGE_ARGUMENT)
{
	const struct vdso_data *block = &PAGE->data[VDSO_BLOCK_HRES_COARSE];
#if !STEP_RESOLUTION
	uint64_t high = read_once(block->hrtimer_res);
#endif
	uint64_t ns;
	uint32_t bit;

	if (unlikely((uint32_t)clock >= 16))
		return -1;
	bit = 1u << clock;
	if (bit & (VDSO_HRES_CLOCKS | VDSO_RAW_CLOCKS))
#if STEP_RESOLUTION
		ns = read_once(block->hrtimer_res);
#else
		ns = high;
#endif
	else if (bit & VDSO_COARSE_CLOCKS)
		ns = VDSO_LOW_RES;
	else
		return -1;
	resolution->sec = 0;
	resolution->nsec = (long long)ns;
	return 0;
}

BEHIND_ENTRY int thread_clock_getres(int clock, struct vdso_timespec *result PAGE_ARGUMENT)
{
	struct wide_time resolution;
#if STEP_PAGE
	int status = read_resolution(clock, &resolution, page);
#else
	int status = read_resolution(clock, &resolution);
#endif

	if (unlikely(status))
		return system_call(SYSTEM_CALL_CLOCK_GETRES, (uint32_t)clock, (uint32_t)result);
	if (likely(result)) {
		result->sec = (long)resolution.sec;
		result->nsec = (long)resolution.nsec;
	}
	return 0;
}

ENTRY(vdso_clock_getres, thread_clock_getres, r5);
