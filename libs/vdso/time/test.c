/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks and bench of time: with and without a place for the result, which is also returned; it is never an error. */
#include "test_support.h"

static struct assay_region region;

static long expected(void)
{
	if (reads_stamp())
		return (long)vdso_data_page.powerpc_stamp.stamp_xtime_sec;
	return (long)vdso_data_page.data[0].basetime[VDSO_CLOCK_REALTIME].sec;
}

static void try_one(long *result)
{
	long wanted = expected(), got;

	assay_case("time=%x place=%u", wanted, result != NULL);
	got = (long)assay_call(vdso_time, assay_pointer(result));
	for (int overflow = 0; overflow <= 1; overflow++) {
		if (got != wanted)
			assay_fail("returned %ld and not %ld", got, wanted);
		if (result && *result != wanted)
			assay_fail("stored %ld and not %ld", *result, wanted);
		set_summary_overflow(overflow);
		/* Seconds may be negative in 32 bits, which is no error where errors are. */
		if (vdso_call((vdso_word)vdso_time, (vdso_word)result, 0, &got) && wanted >= 0)
			assay_fail("returned as an error, with XER's summary overflow bit %s", overflow ? "set" : "clear");
		set_summary_overflow(false);
	}
	assay_passed();
}

static void check(bool quick)
{
	region = assay_region_new(256);
	page_open((void (*)(void))vdso_time);
	for (unsigned int round = 0; round < (quick ? 50u : 2000u); round++) {
		page_random(round);
		assay_canary_fill(region.start, region.end);
		try_one(NULL);
		assay_canary_check(region.start, region.end, "somewhere");
		try_one((long *)region.end - 1);
		assay_canary_check(region.start, region.end - sizeof(long), "before the result");
	}
}

static uint64_t stored;

static const struct assay_key keys[] = {
	{ .name = "stored", .value = &stored, .max = 1 },
};

static long bench_result;

static void set_up(void)
{
	page_open((void (*)(void))vdso_time);
	page_for_bench();
	vdso_entry = (vdso_word)vdso_time;
}

uint64_t assay_bench(uint64_t iterations)
{
	vdso_bench(iterations, (vdso_word)(stored ? &bench_result : NULL), 0);
	return (uint64_t)bench_result;
}

const struct assay_hotpath assay_hotpath = {
	.name = "time",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
