/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of clock_getres: every clock of the page, the system call's answer for the others and for invalid numbers,
 * a NULL result, the error bit, and that nothing but the result is written. The bench is vdsotest's loop.
 */
#include "test_support.h"

int vdso_clock_getres_reference(int clock, struct vdso_timespec *result);

enum { CLOCKS_TRIED = 40 };

static struct assay_region region;

/* The stamp has a resolution of its own; the kernel answers for clocks that are not in it. */
static int expect(int clock, struct vdso_timespec *result)
{
	int status;

	if (reads_stamp() && is_served(clock)) {
		*result = (struct vdso_timespec){ 0, (long)vdso_data_page.powerpc_stamp.hrtimer_res };
		return 0;
	}
	if (reads_stamp())
		return test_clock_call(TEST_CLOCK_GETRES, clock, result);
	status = vdso_clock_getres_reference(clock, result);
#ifdef __powerpc__
	status = -status;
#endif
	return status;
}

static void try_clock(int clock)
{
	struct vdso_timespec *result = (struct vdso_timespec *)region.end - 1, wanted;
	int status, wanted_status = expect(clock, &wanted);

	assay_case("clock=%d", clock);
	assay_canary_fill(region.end - 256, region.end);
	status = call_watched((void (*)(void))vdso_clock_getres, assay_s32(clock), assay_pointer(result));
	if (status != wanted_status)
		assay_fail("returned %d and not %d", status, wanted_status);
	assay_canary_check(region.end - 256, (unsigned char *)result, "before the result");
	if (status == 0 && (result->sec != wanted.sec || result->nsec != wanted.nsec))
		assay_fail("the resolution is %ld s %ld ns and not %ld s %ld ns", result->sec, result->nsec, wanted.sec,
			   wanted.nsec);
	if (status != 0)
		assay_canary_check((unsigned char *)result, region.end, "a result that is not to be");
	status = call_watched((void (*)(void))vdso_clock_getres, assay_s32(clock), 0);
	if (status != wanted_status)
		assay_fail("returned %d and not %d without a place for the result", status, wanted_status);
	assay_passed();
}

static void check(bool quick)
{
	region = assay_region_new(256);
	page_open((void (*)(void))vdso_clock_getres);
	for (unsigned int round = 0; round < (quick ? 10u : 200u); round++) {
		page_random(round);
		for (int clock = -2; clock < CLOCKS_TRIED; clock++)
			try_clock(clock);
		try_clock(0x7fffffff);
		try_clock((int)0x80000000);
	}
}

static uint64_t clock;

static const struct assay_key keys[] = {
	{ .name = "clock", .value = &clock, .max = VDSO_BASES - 1 },
};

static struct vdso_timespec bench_result;

static void set_up(void)
{
	if (!(1u << clock & (VDSO_HRES_CLOCKS | VDSO_COARSE_CLOCKS | VDSO_RAW_CLOCKS)))
		assay_die("clock=%llu is not in the page", (unsigned long long)clock);
	page_open((void (*)(void))vdso_clock_getres);
	page_for_bench();
	vdso_entry = (vdso_word)vdso_clock_getres;
}

uint64_t assay_bench(uint64_t iterations)
{
	vdso_bench(iterations, (vdso_word)clock, (vdso_word)&bench_result);
	return (uint64_t)bench_result.nsec;
}

const struct assay_hotpath assay_hotpath = {
	.name = "clock_getres",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
