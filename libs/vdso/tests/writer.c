// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What readers see of a writer's changes: continuity, slews, steps, leap seconds, sleeps and restores; and what it refuses. */
#include "reader_support.h"

static void test_continuity(uint64_t cases)
{
	struct vdso_time last[12] = { { 0, 0 } };

	group_start();
	start(25000000, UINT64_MAX, 1ull << 40, at(1700000000, 999999999));
	for (uint64_t i = 0; i < cases; i++) {
		struct vdso_time before[5];
		uint64_t next = writer.cycle_last + random_bits(assay_random_below(31)), lag;
		struct vdso_source other = source(1000 + random_bits(10 + assay_random_below(24)), UINT64_MAX);
		unsigned int change = assay_random_below(5);

		counter_now = next;
		for (int c = 0; c < 5; c++)
			before[c] = now(fine_clocks[c]);
		vdso_writer_begin(&writer, next);
		if (change == 1)
			vdso_writer_slew(&writer, (int64_t)assay_random_below(1000001) - 500000);
		if (change == 2 && vdso_writer_switch(&writer, &other, next) != VDSO_WRITER_OK)
			bare_expect(0, "a switch to %llu Hz is refused", (unsigned long long)other.frequency_hz);
		vdso_writer_commit(&writer);
		for (int c = 0; c < 5; c++) {
			struct vdso_time after = now(fine_clocks[c]);

			bare_expect(same(after, before[c]), "clock %d jumps by %lld ns at a commit", fine_clocks[c],
				    (long long)between_ns(before[c], after));
			bare_expect(!earlier(after, last[fine_clocks[c]]), "clock %d went back", fine_clocks[c]);
			last[fine_clocks[c]] = after;
		}
		/* A processor whose counter lags shows the commit's time, not an earlier one. */
		lag = assay_random_below(1000);
		counter_now = next - lag;
		for (int c = 0; c < 5; c++)
			bare_expect(!earlier(now(fine_clocks[c]), last[fine_clocks[c]]),
				    "clock %d went back with a counter %llu behind", fine_clocks[c], (unsigned long long)lag);
		expect_time(now(VDSO_CLOCK_MONOTONIC_COARSE), last[VDSO_CLOCK_MONOTONIC], "coarse at a commit", i);
	}
	group_end("continuity at each commit", cases);
}

static void test_slew(void)
{
	struct vdso_time first, second;

	group_start();
	start(1000000000, UINT64_MAX, 0, at(0, 0));
	vdso_writer_slew(&writer, 500000);
	commit(0);
	first = now(VDSO_CLOCK_MONOTONIC);
	counter_now = 10000000000;
	second = now(VDSO_CLOCK_MONOTONIC);
	bare_expect(between_ns(first, second) - 10005000000 < 1000 && between_ns(first, second) - 10005000000 > -1000,
		    "500 ppm for 10 s are %lld ns more", (long long)(between_ns(first, second) - 10000000000));
	expect_time(now(VDSO_CLOCK_MONOTONIC_RAW), (struct vdso_time){ 10, 0 }, "the raw clock under a slew", 0);
	group_end("slew", 2);
}

static void test_steps(void)
{
	struct vdso_time monotonic;

	group_start();
	start(1000000000, UINT64_MAX, 0, at(1000, 500000000));
	commit(250);
	monotonic = now(VDSO_CLOCK_MONOTONIC);
	vdso_writer_begin(&writer, 250);
	vdso_writer_step(&writer, -1700000000);
	vdso_writer_set_tai_offset(&writer, 37);
	vdso_writer_set_timezone(&writer, -60, 1);
	vdso_writer_commit(&writer);
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 998, 800000250 }, "a step back", 0);
	expect_time(now(VDSO_CLOCK_TAI), (struct vdso_time){ 1035, 800000250 }, "TAI", 0);
	expect_time(now(VDSO_CLOCK_MONOTONIC), monotonic, "the monotonic clock under a step", 0);
	bare_expect(page->data[0].tz_minuteswest == -60 && page->data[0].tz_dsttime == 1, "the time zone");
	vdso_writer_begin(&writer, 250);
	bare_expect(vdso_writer_set_realtime(&writer, at(0x80000000ull, 1)) == VDSO_WRITER_OK, "2038 is refused");
	vdso_writer_commit(&writer);
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 0x80000000ll, 1 }, "after 2038", 0);
	vdso_writer_begin(&writer, 250);
	vdso_writer_set_realtime(&writer, at(0x7fffffff, 999999999));
	vdso_writer_commit(&writer);
	counter_now = 251;
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 0x80000000ll, 0 }, "into 2038", 0);
	commit(1000000000);
#if __SIZEOF_POINTER__ == 8
	bare_expect(vdso_read_seconds(page) == 0x80000000ll, "time() after 2038");
#else
	bare_expect(vdso_read_seconds(page) == (int32_t)0x80000000, "time() of 32 bits after 2038");
#endif
	group_end("steps, TAI, time zone, 2038", 9);
}

static void test_leap(void)
{
	uint64_t second = 1000000000;

	group_start();
	start(second, UINT64_MAX, 0, at(86399, 0));
	vdso_writer_set_tai_offset(&writer, 36);
	bare_expect(vdso_writer_set_leap(&writer, VDSO_LEAP_INSERT, 86400) == VDSO_WRITER_OK, "a leap second is refused");
	commit(0);
	commit(second - 1);
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 86399, 999999999 }, "before 23:59:60", 0);
	commit(second);
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 86399, 0 }, "23:59:60", 0);
	expect_time(now(VDSO_CLOCK_TAI), (struct vdso_time){ 86400 + 36, 0 }, "TAI in it", 0);
	bare_expect(page->header.leap == VDSO_LEAP_INSERTING && page->header.tai_offset == 37, "the page does not say it");
	commit(2 * second);
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 86400, 0 }, "after it", 0);
	expect_time(now(VDSO_CLOCK_TAI), (struct vdso_time){ 86401 + 36, 0 }, "TAI after it", 0);
	bare_expect(page->header.leap == VDSO_LEAP_NONE, "the leap is not over");
	start(second, UINT64_MAX, 0, at(86398, 0));
	vdso_writer_set_leap(&writer, VDSO_LEAP_DELETE, 86400);
	commit(0);
	commit(second);
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 86400, 0 }, "a second left out", 0);
	expect_time(now(VDSO_CLOCK_TAI), (struct vdso_time){ 86399, 0 }, "TAI then", 0);
	bare_expect(vdso_writer_set_leap(&writer, 9, 0) == VDSO_WRITER_BAD_LEAP, "a leap of another kind is accepted");
	group_end("leap seconds", 10);
}

static void expect_lifetime(uint64_t cycles)
{
	struct vdso_time time;

	for (unsigned int i = 0; i < 5; i++) {
		/* A counter that begins anew is behind by more than any that lags. */
		counter_now = (writer.cycle_last - cycles) & writer.source.mask;
		bare_expect(vdso_read_time(page, NULL, fine_clocks[i], &time) == VDSO_OK, "no time with a counter that lags");
		counter_now = (counter_now - 1) & writer.source.mask;
		bare_expect(vdso_read_time(page, NULL, fine_clocks[i], &time) == VDSO_FALLBACK,
			    "a time with a counter that is more than %llu ticks behind", (unsigned long long)cycles);
		counter_now = (writer.cycle_last + cycles) & writer.source.mask;
		bare_expect(vdso_read_time(page, NULL, fine_clocks[i], &time) == VDSO_OK, "no time at the end of a life");
		counter_now = (counter_now + 1) & writer.source.mask;
		bare_expect(vdso_read_time(page, NULL, fine_clocks[i], &time) == VDSO_FALLBACK, "a time %llu ticks after it",
			    (unsigned long long)cycles);
	}
}

/* Ten seconds: more than the 2^32 ticks that it has on PowerPC at least. */
static void test_lifetime(void)
{
	uint64_t second = 1000000000;

	group_start();
	start(second, UINT64_MAX, 7000, at(100, 0));
	vdso_writer_set_lifetime(&writer, 10 * second);
	commit(8000);
	expect_lifetime(10 * second);
	commit(8000 + 20 * second);
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 120, 1000 }, "after an update", 0);
	vdso_writer_set_lifetime(&writer, 100000 * second);
	commit(8000 + 20 * second);
	expect_lifetime(100000 * second);
	vdso_writer_set_lifetime(&writer, 0);
	commit(8000 + 20 * second);
	counter_now += 1000000 * second;
	bare_expect(now(VDSO_CLOCK_REALTIME).sec == 1000120, "a page without a lifetime ends");
	/* Half of the counter's range is the end in any case: beyond it a delta is taken for a counter that lags. */
	start(2500000, (1ull << 40) - 1, 0, at(100, 0));
	vdso_writer_set_lifetime(&writer, UINT64_MAX);
	commit(0);
	bare_expect(page->limits.lifetime_cycles == (1ull << 39) - 1, "a lifetime beyond the counter's range");
	vdso_writer_set_lifetime(&writer, 3 * second);
	commit(0);
	expect_lifetime(7500000);
	group_end("lifetime", 63);
}

static void test_suspend_and_restore(void)
{
	struct vdso_source other = source(2000000000, UINT64_MAX);
	struct vdso_time monotonic;
	struct vdso_clock clock;
	struct vdso_bounds bounds;

	group_start();
	start(1000000000, UINT64_MAX, 7000, at(100, 0));
	vdso_writer_set_error(&writer, VDSO_STATUS_SYNCHRONISED, 2000, 1000);
	commit(1000007000);
	bare_expect(vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE, NULL) == VDSO_CLOCK_OK, "the page is refused");
	bare_expect(vdso_clock_now_with_bounds(&clock, &bounds) == VDSO_CLOCK_OK &&
			    between_ns(bounds.earliest, bounds.now) == 3000 && between_ns(bounds.now, bounds.latest) == 3000,
		    "bounds: 2000 ns and 1000 ns for the second that has begun");
	monotonic = now(VDSO_CLOCK_MONOTONIC);
	counter_now = 5;
	vdso_writer_resume(&writer, 5, 3600500000000);
	vdso_writer_commit(&writer);
	expect_time(now(VDSO_CLOCK_MONOTONIC), monotonic, "monotonic after a sleep", 0);
	expect_time(now(VDSO_CLOCK_BOOTTIME), (struct vdso_time){ 3601, 500000000 }, "boot time after a sleep", 0);
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 3701, 500000000 }, "the wall clock after a sleep", 0);
	bare_expect(!vdso_clock_disrupted(&clock), "a sleep is no disruption");
	counter_now = 99;
	bare_expect(vdso_writer_restore(&writer, &other, 99) == VDSO_WRITER_OK, "a restore is refused");
	vdso_writer_commit(&writer);
	expect_time(now(VDSO_CLOCK_MONOTONIC), monotonic, "monotonic after a restore", 0);
	bare_expect(vdso_clock_disrupted(&clock) && !vdso_clock_disrupted(&clock), "a restore is told once");
	/* A writer that is preempted in a commit: who attaches meanwhile has seen no restore. */
	vdso_writer_open(&writer);
	bare_expect(vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE, NULL) == VDSO_CLOCK_OK, "a page being written is refused");
	commit(99);
	bare_expect(!vdso_clock_disrupted(&clock), "attaching while the page is written is no disruption");
	bare_expect(vdso_clock_now_with_bounds(&clock, &bounds) == VDSO_CLOCK_NO_BOUND, "a bound after a restore");
	vdso_writer_begin(&writer, 99);
	vdso_writer_set_realtime(&writer, at(9000, 0));
	vdso_writer_set_error(&writer, VDSO_STATUS_FREE_RUNNING, 5000, 0);
	vdso_writer_commit(&writer);
	counter_now = 99 + 4000000000;
	bare_expect(vdso_clock_now_with_bounds(&clock, &bounds) == VDSO_CLOCK_OK && bounds.now.sec == 9002 &&
			    between_ns(bounds.earliest, bounds.latest) == 10000 && bounds.generation == 1,
		    "bounds after it was set");
	group_end("suspend, restore, bounds", 14);
}

static void test_writer_refuses(void)
{
	static const struct {
		struct vdso_source source;
		enum vdso_writer_result result;
	} cases[] = {
		{ { 1, 0, UINT64_MAX, 0 }, VDSO_WRITER_BAD_FREQUENCY },
		{ { 1, 0, UINT64_MAX, UINT64_MAX }, VDSO_WRITER_BAD_FREQUENCY },
		{ { 1, 0, UINT64_MAX, (1ull << 48) + 1 }, VDSO_WRITER_BAD_FREQUENCY },
		{ { 1, 30, UINT64_MAX, (1ull << 48) + 1 }, VDSO_WRITER_BAD_FREQUENCY },
		{ { 1, 0, 0, 1000 }, VDSO_WRITER_BAD_MASK },
		{ { 1, 0, 0xffff, 1000 }, VDSO_WRITER_BAD_MASK },
		{ { 1, 0, 0xfffff0, 1000 }, VDSO_WRITER_BAD_MASK },
		{ { 1, 32, UINT64_MAX, 1000000000 }, VDSO_WRITER_BAD_SHIFT },
		{ { 1, 24, UINT64_MAX, 1000000 }, VDSO_WRITER_BAD_SHIFT },
		{ { 1, 3, UINT64_MAX, 3000000000 }, VDSO_WRITER_BAD_SHIFT },
		{ { 1, 64, UINT64_MAX, 1000000 }, VDSO_WRITER_BAD_SHIFT },
	};

	group_start();
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(page, 0x5a, sizeof(*page));
		bare_expect(vdso_writer_start(&writer, page, &cases[i].source, 0, at(0, 0), 1) == cases[i].result,
			    "source %u is not refused as it should be", i);
		bare_expect(((unsigned char *)page)[0] == 0x5a && ((unsigned char *)page)[4095] == 0x5a,
			    "the page was written although source %u was refused", i);
	}
	start(1000000, UINT64_MAX, 0, at(1, 0));
	bare_expect(page->data[0].mult < 0xf0000000 && page->limits.max_cycles[0] >= 0xffffffff, "limits of a slow counter");
	bare_expect(vdso_writer_slew(&writer, 100000001) == VDSO_WRITER_BAD_RATE &&
			    vdso_writer_slew(&writer, INT64_MIN) == VDSO_WRITER_BAD_RATE &&
			    vdso_writer_set_realtime(&writer, at(1, 1000000000)) == VDSO_WRITER_BAD_TIME,
		    "rates and times");
	commit(5000000);
	bare_expect(vdso_writer_set_monotonic(&writer, at(4, 0), at(9, 0), at(9, 0)) == VDSO_WRITER_BAD_TIME &&
			    vdso_writer_set_monotonic(&writer, at(9, 0), at(4, 0), at(9, 0)) == VDSO_WRITER_BAD_TIME &&
			    vdso_writer_set_monotonic(&writer, at(9, 0), at(9, 0), at(4, 0)) == VDSO_WRITER_BAD_TIME,
		    "monotonic clocks set back");
	/* What every 32-bit reader relies on, for every frequency. */
	for (uint64_t frequency = 1; frequency < 1ull << 48; frequency += 1 + frequency / 7) {
		start(frequency, UINT64_MAX, 0, at(0, 0));
		vdso_writer_slew(&writer, 100000000);
		vdso_writer_commit(&writer);
		bare_expect(page->limits.max_cycles[0] >= 0xffffffff, "%llu Hz: max_cycles is %llu",
			    (unsigned long long)frequency, (unsigned long long)page->limits.max_cycles[0]);
		if (frequency >= 5000000 && frequency < 8000000000000)
			bare_expect(page->header.plain_shift == VDSO_FIXED_SHIFT && page->data[0].shift == VDSO_FIXED_SHIFT,
				    "%llu Hz: shift %u", (unsigned long long)frequency, page->data[0].shift);
	}
	group_end("what a writer refuses", 242);
}

void test_writer(uint64_t cases)
{
	test_continuity(cases);
	test_slew();
	test_steps();
	test_leap();
	test_lifetime();
	test_suspend_and_restore();
	test_writer_refuses();
}
