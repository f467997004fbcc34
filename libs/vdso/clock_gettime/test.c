/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of clock_gettime: pages of all rates, every clock of the page, the system call for the others and for
 * invalid numbers, the error bit, and that nothing but the result is written. The bench is vdsotest's loop.
 */
#include "test_support.h"

int vdso_clock_gettime_reference(int clock, struct vdso_timespec *result);

enum { ERROR_INVALID = 22, CLOCK_PROCESS_CPUTIME = 2, CLOCK_THREAD_CPUTIME = 3 };

static struct assay_region region;

/* What the variant should show now: the reference's time, or the stamp's by the stamp's own arithmetic. */
static struct vdso_exact_time expected(int clock)
{
	struct vdso_timespec time = { 0 };

	if (reads_stamp() && is_served(clock))
		return vdso_exact_stamp_at(&vdso_data_page.powerpc_stamp, (uint32_t)clock, test_counter(), VDSO_NSEC_PER_SEC);
	if (is_served(clock))
		vdso_clock_gettime_reference(clock, &time);
	else if (test_clock_call(TEST_CLOCK_GETTIME, clock, &time) < 0)
		assay_die("the kernel does not know clock %d", clock);
	return (struct vdso_exact_time){ (unsigned long)time.sec, (unsigned long)time.nsec };
}

static void try_clock(int clock)
{
	/* After the result comes a page without access, before it bytes that are checked. */
	struct vdso_timespec *result = (struct vdso_timespec *)region.end - 1;
	struct vdso_exact_time first, last;
	int status;

	assay_canary_fill(region.end - 256, (unsigned char *)result);
	result->sec = result->nsec = -1;
	first = expected(clock);
	status = call_watched((void (*)(void))vdso_clock_gettime, assay_s32(clock), assay_pointer(result));
	last = expected(clock);
	if (status != 0)
		assay_fail("returned the error %d", status);
	require_between(first, (struct vdso_exact_time){ (unsigned long)result->sec, (unsigned long)result->nsec }, last);
	assay_canary_check(region.end - 256, (unsigned char *)result, "before the result");
}

static void try_no_clock(int clock)
{
	struct vdso_timespec result;
	int status;

	assay_case("clock=%d, which is none", clock);
	status = call_watched((void (*)(void))vdso_clock_gettime, assay_s32(clock), assay_pointer(&result));
	if (status != -ERROR_INVALID)
		assay_fail("returned %d; the system call's is %d", status, -ERROR_INVALID);
	assay_passed();
}

static void check_clocks(unsigned int round)
{
	static const int clocks[] = {
		VDSO_CLOCK_REALTIME,	     VDSO_CLOCK_MONOTONIC, VDSO_CLOCK_MONOTONIC_RAW, VDSO_CLOCK_REALTIME_COARSE,
		VDSO_CLOCK_MONOTONIC_COARSE, VDSO_CLOCK_BOOTTIME,  VDSO_CLOCK_TAI,	     CLOCK_PROCESS_CPUTIME,
		CLOCK_THREAD_CPUTIME
	};

	page_random(round);
	for (unsigned int i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		const struct vdso_data *block = &vdso_data_page.data[clocks[i] == VDSO_CLOCK_MONOTONIC_RAW];

		assay_case("clock=%u mult=%x shift=%u round=%u", clocks[i], block->mult, block->shift, round);
		try_clock(clocks[i]);
	}
}

/* Products beyond 64 bits: a page that has not been written for hours or days. */
static void check_long_deltas(unsigned int round)
{
	struct vdso_data *block = &vdso_data_page.data[0];

	page_random(0);
	block->mult = 0x80000000u | assay_random();
	block->shift = VDSO_FIXED_SHIFT + assay_random_below(8);
	page_is_plain();
	/* 2^34 to 2^44 ticks at up to 64 ns; not more, because a variant may count the seconds one by one. */
	block->cycle_last = test_counter() - ((1ull << 34) << assay_random_below(6));
	vdso_data_page.limits.max_cycles[0] = UINT32_MAX;
	assay_case("a long delta mult=%x shift=%u round=%u", block->mult, block->shift, round);
	for (unsigned int clock = 0; clock < VDSO_BASES; clock++)
		block->basetime[clock].nsec = (uint64_t)assay_random_below(VDSO_NSEC_PER_SEC) << block->shift;
	try_clock(VDSO_CLOCK_MONOTONIC);
}

static void check(bool quick)
{
	region = assay_region_new(256);
	page_open((void (*)(void))vdso_clock_gettime);
	for (unsigned int round = 0; round < (quick ? 60u : 2000u); round++)
		check_clocks(round);
	for (unsigned int round = 0; &vdso_takes_long_deltas && round < 100; round++)
		check_long_deltas(round);
	try_no_clock(12);
	try_no_clock(31);
	try_no_clock(32);
	try_no_clock(0x7fffffff);
	try_no_clock(-1);
	try_no_clock((int)0x80000000);
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
	page_open((void (*)(void))vdso_clock_gettime);
	page_for_bench();
	vdso_entry = (vdso_word)vdso_clock_gettime;
	/* So that the emulator translates the code before the stamp is written, not while it ages. */
	page_update_now();
	vdso_wrapper((vdso_word)clock, (vdso_word)&bench_result);
}

uint64_t assay_bench(uint64_t iterations)
{
	page_update_now();
	vdso_bench(iterations, (vdso_word)clock, (vdso_word)&bench_result);
	page_note_age();
	return (uint64_t)bench_result.nsec;
}

const struct assay_hotpath assay_hotpath = {
	.name = "clock_gettime",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
	.held_up = page_has_aged,
};
