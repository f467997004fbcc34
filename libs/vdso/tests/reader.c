// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * reader-test IMAGE reader CASES: readers and writer with a counter that the test moves, against exact integer arithmetic that is
 * written another way; then order, limits and refusals one by one. The image is only what the loader is fuzzed with.
 *
 * Prints a record for each group, and the counts in the last line.
 */
#include <stdint.h>

static uint64_t counter_now, counter_reads;

/* Readers that are compiled here call this; vdso_clock.c is included below for the same reason. */
#define VDSO_TEST_COUNTER test_counter
#define VDSO_TEST_BARRIER test_barrier

#include "bare.h"
#include "vdso_clock.c"
#include "vdso_loader.h"
#include "vdso_writer.h"

uint64_t test_counter(void)
{
	counter_reads++;
	return counter_now;
}

/* At which barrier from now on the writer commits; 0: at none. */
static unsigned int commit_at;
static void commit_now(void);
void test_barrier(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (commit_at && --commit_at == 0)
		commit_now();
}

#include "reader_support.h"

/* ------------------------------------------------------------------ formula, masks, limits, long deltas */

static const int32_t fine_clocks[] = { VDSO_CLOCK_REALTIME, VDSO_CLOCK_MONOTONIC, VDSO_CLOCK_BOOTTIME, VDSO_CLOCK_TAI,
				       VDSO_CLOCK_MONOTONIC_RAW };

static void expect_delta(uint64_t delta, const char *what)
{
	for (unsigned int i = 0; i < 5; i++) {
		int32_t clock = fine_clocks[i];
		const struct vdso_data *data = &page->data[clock == VDSO_CLOCK_MONOTONIC_RAW];
		uint64_t effective = delta > data->mask >> 1 ? 0 : delta;

		counter_now = (data->cycle_last + delta) & data->mask;
		expect_time(now(clock), exact_time(data, (unsigned int)clock, effective), what, delta);
	}
}

/* Any counter that a writer accepts, any place in it. */
static void random_start(void)
{
	unsigned int bits = 20 + assay_random_below(45);
	uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;

	if (assay_random_below(3) == 0)
		mask = UINT64_MAX;
	start(1 + random_bits(1 + assay_random_below(40)), mask, random64(),
	      at(random_bits(33), random64() % VDSO_NSEC_PER_SEC));
	if (assay_random_below(2))
		vdso_writer_slew(&writer, (int64_t)assay_random_below(200000001) - 100000000);
	commit(writer.cycle_last + random_bits(assay_random_below(20)));
}

static void test_formula(uint64_t cases)
{
	group_start();
	for (uint64_t i = 0; i < cases; i++) {
		const uint64_t *limits = page->limits.max_cycles;

		random_start();
		expect_delta(random_bits(assay_random_below(64)) & page->data[0].mask, "random delta");
		for (int block = 0; block < 2; block++)
			for (uint64_t step = 0; step < 3; step++)
				expect_delta((limits[block] - 1 + step) & page->data[0].mask, "delta at max_cycles");
		expect_delta(page->data[0].mask >> 1, "half the range");
		expect_delta(page->data[0].mask & -1ull, "one behind cycle_last");
		expect_delta((page->data[0].mask >> 1) + 1, "half the range and one");
	}
	group_end("formula, limits and masks", cases * 10);
}

static void test_masks(void)
{
	static const unsigned int widths[] = { 20, 24, 32, 48, 56, 63, 64 };
	uint64_t count = 0;

	group_start();
	for (unsigned int i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		uint64_t mask = widths[i] == 64 ? UINT64_MAX : (1ull << widths[i]) - 1;
		struct vdso_time last;

		/* Round the counter's end, in steps; time goes on, exactly. */
		start(50000000, mask, mask - 1000, at(5, 0));
		last = now(VDSO_CLOCK_MONOTONIC);
		for (uint64_t step = 0; step < 200; step++, count++) {
			struct vdso_time time;

			counter_now = (counter_now + 17) & mask;
			if (step % 7 == 0)
				commit(counter_now);
			time = now(VDSO_CLOCK_MONOTONIC);
			bare_expect(between_ns(last, time) == 340, "a counter of %u bits at its end: 17 ticks are %lld ns",
				    widths[i], (long long)between_ns(last, time));
			last = time;
		}
	}
	group_end("counters of 20 to 64 bits at their end", count);
}

static void test_days(void)
{
	static const uint64_t days[] = { 1, 2, 30, 365, 3650, 100000 };
	uint64_t count = 0;

	group_start();
	for (unsigned int i = 0; i < sizeof(days) / sizeof(*days); i++) {
		static const uint64_t frequencies[] = { 32768, 1000000, 8250000, 33333333, 512000000, 2300000000, 5000000000 };

		for (unsigned int j = 0; j < sizeof(frequencies) / sizeof(*frequencies); j++, count++) {
			uint64_t seconds = days[i] * 86400, ticks = seconds * frequencies[j];
			struct vdso_time time;

			if (ticks / frequencies[j] != seconds || ticks >> 63)
				continue;
			start(frequencies[j], UINT64_MAX, 12345, at(1000, 0));
			expect_delta(ticks, "days");
			/* And the writer itself after such a sleep. */
			counter_now = 12345 + ticks;
			time = now(VDSO_CLOCK_REALTIME);
			commit(12345 + ticks);
			expect_time(now(VDSO_CLOCK_REALTIME), time, "a commit after days", days[i]);
		}
	}
	group_end("days between updates", count);
}

/* ------------------------------------------------------------------ continuity */

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
	bare_expect(vdso_clock_now_with_bounds(&clock, &bounds) == VDSO_CLOCK_NO_BOUND, "a bound after a restore");
	vdso_writer_begin(&writer, 99);
	vdso_writer_set_realtime(&writer, at(9000, 0));
	vdso_writer_set_error(&writer, VDSO_STATUS_FREE_RUNNING, 5000, 0);
	vdso_writer_commit(&writer);
	counter_now = 99 + 4000000000;
	bare_expect(vdso_clock_now_with_bounds(&clock, &bounds) == VDSO_CLOCK_OK && bounds.now.sec == 9002 &&
			    between_ns(bounds.earliest, bounds.latest) == 10000 && bounds.generation == 1,
		    "bounds after it was set");
	group_end("suspend, restore, bounds", 12);
}

static void test_namespaces(void)
{
	struct vdso_page *system = behind;
	struct vdso_source from = source(1000000000, UINT64_MAX);
	struct vdso_time time;

	group_start();
	counter_now = 0;
	vdso_writer_start(&writer, system, &from, 0, at(1000, 0), 4000000);
	vdso_writer_begin(&writer, 5600000000);
	vdso_writer_commit(&writer);
	counter_now = 5600000000;
	bare_expect(vdso_namespace_start(page, at((uint64_t)-3, 700000000), at((uint64_t)-100, 0)) == VDSO_WRITER_OK &&
			    vdso_namespace_start(page, at((uint64_t)-3, 700000000), at((uint64_t)-100, 1000000000)) ==
				    VDSO_WRITER_BAD_TIME,
		    "offsets");
	time = now(VDSO_CLOCK_MONOTONIC);
	expect_time(time, (struct vdso_time){ 3, 300000000 }, "5.6 s and -2.3 s", 0);
	expect_time(now(VDSO_CLOCK_MONOTONIC_RAW), time, "raw in a namespace", 0);
	expect_time(now(VDSO_CLOCK_MONOTONIC_COARSE), time, "coarse in a namespace", 0);
	expect_time(now(VDSO_CLOCK_BOOTTIME), (struct vdso_time){ -95, 600000000 }, "a negative boot time", 0);
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 1005, 600000000 }, "the wall clock in a namespace", 0);
	bare_expect(vdso_read_seconds(page) == 1005 && vdso_read_resolution(page, VDSO_CLOCK_REALTIME) == 1 &&
			    vdso_read_resolution(page, VDSO_CLOCK_REALTIME_COARSE) == 4000000,
		    "time() and resolutions in a namespace");
	group_end("time namespaces", 7);
}

/* ------------------------------------------------------------------ the sequence count */

static void test_sequence(void)
{
	struct vdso_time time;
	uint64_t reads;

	group_start();
	bare_expect(vdso_read_time(page, NULL, VDSO_CLOCK_REALTIME_COARSE, &time) == VDSO_FALLBACK &&
			    vdso_read_time(page, NULL, VDSO_CLOCK_MONOTONIC, &time) == VDSO_FALLBACK &&
			    vdso_read_seconds(page) == 0 && vdso_read_resolution(page, 0) == 0,
		    "an all-zero page tells a time");
	start(1000000000, UINT64_MAX, 0, at(1, 0));
	writer.seq = 0xfffffffc;
	for (int i = 0; i < 4; i++) {
		uint32_t before = page->data[0].seq;

		commit(1000 + (uint64_t)i);
		bare_expect(page->data[0].seq != before && page->data[0].seq != 0 && !(page->data[0].seq & 1) &&
				    page->data[1].seq == page->data[0].seq,
			    "the count goes from %x to %x", before, page->data[0].seq);
		bare_expect(now(VDSO_CLOCK_MONOTONIC).nsec == 1000 + (uint32_t)i, "no time round the end of the count");
	}
	page->data[0].seq |= 1;
	reads = counter_reads;
	bare_expect(vdso_read_time(page, NULL, VDSO_CLOCK_MONOTONIC, &time) == VDSO_FALLBACK &&
			    vdso_read_time(page, NULL, VDSO_CLOCK_REALTIME_COARSE, &time) == VDSO_FALLBACK,
		    "a writer that holds the count odd is waited for");
	bare_expect(counter_reads - reads <= VDSO_TRIES_MAX, "the counter is read %llu times",
		    (unsigned long long)(counter_reads - reads));
	bare_expect(vdso_read_time(page, NULL, VDSO_CLOCK_MONOTONIC_RAW, &time) == VDSO_FALLBACK || page->data[1].seq % 2 == 0,
		    "the raw block has a count of its own");
	group_end("sequence count", 12);
}

/* A writer that sets the wall clock a second further. */
static void commit_now(void)
{
	vdso_writer_begin(&writer, counter_now);
	vdso_writer_step(&writer, VDSO_NSEC_PER_SEC);
	vdso_writer_commit(&writer);
}

/* A commit between a reader's loads: the time is that of the new state, whole. */
static void test_interrupted(void)
{
	static const int32_t clocks[] = { VDSO_CLOCK_REALTIME, VDSO_CLOCK_TAI, VDSO_CLOCK_REALTIME_COARSE };

	group_start();
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int barrier = 1; barrier <= 2; barrier++) {
			struct vdso_time time;

			start(1000000000, UINT64_MAX, 1000, at(10, 5));
			commit_at = barrier;
			time = now(clocks[i]);
			bare_expect(commit_at == 0, "a reader has fewer than %u barriers", barrier);
			expect_time(time, (struct vdso_time){ 11, 5 }, "a commit between the loads, at barrier", barrier);
			if (1u << clocks[i] & VDSO_COARSE_CLOCKS)
				continue;
			/* And in the slow way, which a counter that lags is sent to after one barrier. */
			counter_now = 999;
			commit_at = 1 + barrier;
			time = now(clocks[i]);
			bare_expect(commit_at == 0, "the slow way has fewer than %u barriers", barrier);
			expect_time(time, (struct vdso_time){ 12, 5 }, "a commit in the slow way, at barrier", barrier);
		}
	group_end("a commit between a reader's loads", 20);
}

static void test_modes(void)
{
	static const int32_t others[] = { VDSO_CLOCKMODE_NONE, VDSO_CLOCKMODE_PVCLOCK, VDSO_CLOCKMODE_HVCLOCK, 4, 77, -1,
					  (int32_t)0x80000000, VDSO_CLOCKMODE_TIMENS };
	static const int32_t clocks[] = { 2, 3, 8, 9, 10, 12, 31, 32, 33, -1, 0x7fffffff, (int32_t)0x80000000 };
	struct vdso_time time;

	group_start();
	start(1000000000, UINT64_MAX, 0, at(1, 0));
	for (unsigned int i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		bare_expect(vdso_read_time(page, NULL, clocks[i], &time) == VDSO_FALLBACK &&
				    vdso_read_resolution(page, clocks[i]) == 0,
			    "clock %d has a time", clocks[i]);
	for (unsigned int i = 0; i < sizeof(others) / sizeof(*others); i++) {
		uint64_t reads = counter_reads;

		page->data[0].clock_mode = others[i];
		bare_expect(vdso_read_time(page, NULL, VDSO_CLOCK_MONOTONIC, &time) == VDSO_FALLBACK && counter_reads == reads,
			    "mode %d reads the counter", others[i]);
		bare_expect(vdso_read_time(page, NULL, VDSO_CLOCK_MONOTONIC_COARSE, &time) == VDSO_OK,
			    "the coarse clocks need the counter's mode");
	}
	group_end("modes and clocks that are none", 28);
}

/* ------------------------------------------------------------------ attaching */

static void test_attach(void)
{
	struct vdso_clock clock;
	struct vdso_time time;

	group_start();
	bare_expect(vdso_clock_attach(&clock, NULL, VDSO_PAGE_SIZE, NULL) == VDSO_CLOCK_NO_PAGE, "no page");
	bare_expect(vdso_clock_attach(&clock, pages + 4, VDSO_PAGE_SIZE, NULL) == VDSO_CLOCK_NO_PAGE, "a page at 4");
	bare_expect(vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE, NULL) == VDSO_CLOCK_NOT_A_PAGE, "an all-zero page");
	start(1000000000, UINT64_MAX, 0, at(1, 0));
	bare_expect(vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE - 1, NULL) == VDSO_CLOCK_SHORT, "a short page");
	bare_expect(vdso_clock_attach(&clock, page, 0, NULL) == VDSO_CLOCK_SHORT, "no bytes");
	page->header.version++;
	bare_expect(vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE, NULL) == VDSO_CLOCK_OTHER_VERSION, "another version");
	page->header.version--;
	page->header.size = 1024;
	bare_expect(vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE, NULL) == VDSO_CLOCK_SHORT, "a writer that fills less");
	page->header.size = VDSO_PAGE_SIZE;
	page->header.magic = __builtin_bswap64(page->header.magic);
	bare_expect(vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE, NULL) == VDSO_CLOCK_NOT_A_PAGE, "the other byte order");
	page->header.magic = VDSO_MAGIC;
	bare_expect(vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE, NULL) == VDSO_CLOCK_OK, "a good page");
	bare_expect(vdso_clock_now(&clock, 2, &time) == VDSO_CLOCK_NO_ANSWER, "a clock that no page has");
	for (int result = VDSO_CLOCK_OK; result <= VDSO_CLOCK_NO_BOUND; result++)
		bare_expect(vdso_clock_describe((enum vdso_clock_result)result)[0] != 'u', "result %d has no words", result);
	group_end("attaching to what is no page", 17);
}

static void test_writer_refuses(void)
{
	static const struct {
		struct vdso_source source;
		enum vdso_writer_result result;
	} cases[] = {
		{ { 1, 0, UINT64_MAX, 0 }, VDSO_WRITER_BAD_FREQUENCY },
		{ { 1, 0, UINT64_MAX, UINT64_MAX }, VDSO_WRITER_BAD_FREQUENCY },
		{ { 1, 0, UINT64_MAX, 1ull << 52 }, VDSO_WRITER_BAD_FREQUENCY },
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
	group_end("what a writer refuses", 240);
}

/* ------------------------------------------------------------------ hypervisors' pages */

static void test_pvclock(uint64_t cases)
{
	struct vdso_pvclock pv = { .version = 2, .flags = VDSO_PVCLOCK_TSC_STABLE };
	uint64_t ns;

	group_start();
	for (uint64_t i = 0; i < cases; i++) {
		uint64_t delta = random_bits(assay_random_below(40)), shifted;
		struct exact product;

		pv.tsc_timestamp = random64() >> 1;
		pv.system_time = random_bits(60);
		pv.tsc_to_system_mul = assay_random();
		pv.tsc_shift = (int8_t)((int)assay_random_below(20) - 10);
		counter_now = pv.tsc_timestamp + delta;
		shifted = pv.tsc_shift < 0 ? delta >> -pv.tsc_shift : delta << pv.tsc_shift;
		product = exact_product(shifted, pv.tsc_to_system_mul);
		exact_divide(&product, 65536);
		exact_divide(&product, 65536);
		bare_expect(vdso_pvclock_ns(&pv, test_counter, &ns) && ns == pv.system_time + exact_low(&product),
			    "pvclock: delta %llu, shift %d", (unsigned long long)delta, pv.tsc_shift);
	}
	counter_now = pv.tsc_timestamp - 1;
	bare_expect(vdso_pvclock_ns(&pv, test_counter, &ns) && ns == pv.system_time, "a TSC behind the timestamp");
	pv.version = 3;
	bare_expect(!vdso_pvclock_ns(&pv, test_counter, &ns), "a page that is being written");
	pv.version = 2;
	pv.flags = VDSO_PVCLOCK_GUEST_STOPPED;
	bare_expect(!vdso_pvclock_ns(&pv, test_counter, &ns), "a page that is not stable");
	pv.version = 0;
	pv.flags = VDSO_PVCLOCK_TSC_STABLE;
	bare_expect(!vdso_pvclock_ns(&pv, test_counter, &ns), "a page that was never written");
	group_end("pvclock", cases + 4);
}

static void test_hyperv(uint64_t cases)
{
	struct vdso_hyperv_tsc hv = { .sequence = 1 };
	uint64_t ticks;

	group_start();
	for (uint64_t i = 0; i < cases; i++) {
		struct exact low, high;

		hv.scale = random64();
		hv.offset = (int64_t)random64() >> 8;
		hv.sequence = 1 + assay_random_below(0xfffffffe);
		counter_now = random64();
		/* now * scale >> 64, by the halves of scale. */
		low = exact_product(counter_now, (uint32_t)hv.scale);
		exact_divide(&low, 65536);
		exact_divide(&low, 65536);
		high = exact_product(counter_now, (uint32_t)(hv.scale >> 32));
		exact_add(&high, exact_low(&low));
		/* What of `low` is above 64 bits. */
		high.digit[4] += low.digit[4];
		exact_divide(&high, 65536);
		exact_divide(&high, 65536);
		bare_expect(vdso_hyperv_100ns(&hv, test_counter, &ticks) && ticks == exact_low(&high) + (uint64_t)hv.offset,
			    "Hyper-V: %llu at scale %llx", (unsigned long long)counter_now, (unsigned long long)hv.scale);
	}
	hv.sequence = 0;
	bare_expect(!vdso_hyperv_100ns(&hv, test_counter, &ticks), "a page that is not valid");
	group_end("Hyper-V's TSC page", cases + 1);
}

/* A clock page whose counter is such a page. x86-64 alone has those modes. */
static void test_hypervisor_modes(void)
{
#if defined(__x86_64__)
	struct vdso_pvclock pv = { .version = 2,
				   .flags = VDSO_PVCLOCK_TSC_STABLE,
				   .system_time = 1000,
				   .tsc_to_system_mul = 0x80000000,
				   .tsc_shift = 1 };
	struct vdso_hyperv_tsc hv = { .sequence = 7, .scale = 1ull << 62, .offset = 50 };
	struct vdso_source from = { VDSO_CLOCKMODE_PVCLOCK, 0, UINT64_MAX, 1000000000 };
	struct vdso_time time;

	group_start();
	vdso_writer_start(&writer, page, &from, 1000, at(5, 0), 4000000);
	counter_now = 500;
	bare_expect(vdso_read_time(page, &pv, VDSO_CLOCK_REALTIME, &time) == VDSO_OK && time.sec == 5 && time.nsec == 500,
		    "pvclock");
	pv.flags = 0;
	bare_expect(vdso_read_time(page, &pv, VDSO_CLOCK_REALTIME, &time) == VDSO_FALLBACK, "pvclock, not stable");
	bare_expect(vdso_read_time(page, NULL, VDSO_CLOCK_REALTIME, &time) == VDSO_FALLBACK, "pvclock, not mapped");
	from = (struct vdso_source){ VDSO_CLOCKMODE_HVCLOCK, 0, UINT64_MAX, 10000000 };
	vdso_writer_start(&writer, page, &from, 50, at(5, 0), 4000000);
	counter_now = 40;
	bare_expect(vdso_read_time(page, &hv, VDSO_CLOCK_REALTIME, &time) == VDSO_OK && time.sec == 5 && time.nsec == 1000,
		    "Hyper-V");
	hv.sequence = 0;
	bare_expect(vdso_read_time(page, &hv, VDSO_CLOCK_REALTIME, &time) == VDSO_FALLBACK, "Hyper-V, not valid");
	group_end("hypervisors' pages as counters", 5);
#endif
}

/* ------------------------------------------------------------------ the loader */

static size_t read_image(const char *path, unsigned char *to, size_t bytes_max)
{
	long file = bare_call(SYS_OPENAT, (uintptr_t)-100, (uintptr_t)path, 0, 0), bytes;

	if (file < 0)
		assay_die("%s cannot be opened (errno %ld)", path, -file);
	bytes = bare_call(SYS_READ, (uintptr_t)file, (uintptr_t)to, bytes_max);
	if (bytes <= 0)
		assay_die("%s cannot be read", path);
	return (size_t)bytes;
}

static void walk(const unsigned char *base, size_t bytes)
{
	struct vdso_image image;
	struct vdso_image_export export;
	volatile char seen;

	if (vdso_image_open(&image, base, bytes) != VDSO_LOADER_OK)
		return;
	for (uint32_t i = 0; i < image.symbols_count; i++)
		if (vdso_image_export(&image, i, &export))
			for (const char *c = export.name; *c; c++)
				seen = *c;
	(void)seen;
	vdso_image_symbol(&image, "no such symbol", "no such version");
}

static void test_loader(const char *path, uint64_t cases)
{
	static unsigned char good[65536] __attribute__((aligned(8)));
	size_t bytes = read_image(path, good, sizeof(good));
	/* The image ends where an inaccessible page begins, so that reading behind it is found. */
	struct assay_region region = assay_region_new(sizeof(good));
	unsigned char *copy = region.end - ((bytes + 7) & ~(size_t)7);
	struct vdso_image image;

	group_start();
	bytes = (bytes + 7) & ~(size_t)7;
	memcpy(copy, good, bytes);
	bare_expect(vdso_image_open(&image, copy, bytes) == VDSO_LOADER_OK, "the image itself is refused");
	for (size_t short_by = 8; short_by < bytes; short_by += 8)
		memcpy(region.end - (bytes - short_by), good, bytes - short_by),
			walk(region.end - (bytes - short_by), bytes - short_by);
	for (uint64_t i = 0; i < cases; i++) {
		memcpy(copy, good, bytes);
		for (unsigned int n = 1 + assay_random_below(8); n; n--)
			copy[assay_random_below(i & 1 ? 1536 : (uint32_t)bytes)] = (unsigned char)assay_random();
		walk(copy, bytes);
	}
	bare_passed++;
	group_end("images that are broken or cut", cases + bytes / 8);
}

int bare_main(int argc, char **argv)
{
	uint64_t cases = bare_number(argc > 3 ? argv[3] : NULL, 1000);

	if (argc < 3 || !assay_equal(argv[2], "reader"))
		assay_die("usage: reader-test IMAGE reader [CASES]");
	pages = bare_map(NULL, 2 * VDSO_PAGE_STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	page = (struct vdso_page *)pages;
	behind = (struct vdso_page *)(pages + VDSO_PAGE_STEP);
	test_formula(cases);
	test_masks();
	test_days();
	test_continuity(cases);
	test_slew();
	test_steps();
	test_leap();
	test_suspend_and_restore();
	test_namespaces();
	test_sequence();
	test_interrupted();
	test_modes();
	test_attach();
	test_writer_refuses();
	test_pvclock(cases);
	test_hyperv(cases);
	test_hypervisor_modes();
	test_loader(argv[1], cases);
	return bare_counts();
}
