// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Readers against exact integer arithmetic that is written another way; then the sequence count, modes and attaching. */
#include "reader_support.h"
#include "image/namespace.h"

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

/* As an image reads the clock. */
static struct vdso_time image_now(int32_t clock)
{
	struct vdso_time time = { INT64_MIN, 0 };

	if (vdso_image_time_slow(page, NULL, clock, &time) != VDSO_OK)
		time.sec = INT64_MIN;
	return time;
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
	time = image_now(VDSO_CLOCK_MONOTONIC);
	expect_time(time, (struct vdso_time){ 3, 300000000 }, "5.6 s and -2.3 s", 0);
	expect_time(image_now(VDSO_CLOCK_MONOTONIC_RAW), time, "raw in a namespace", 0);
	expect_time(image_now(VDSO_CLOCK_MONOTONIC_COARSE), time, "coarse in a namespace", 0);
	expect_time(image_now(VDSO_CLOCK_BOOTTIME), (struct vdso_time){ -95, 600000000 }, "a negative boot time", 0);
	expect_time(image_now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 1005, 600000000 }, "the wall clock in a namespace", 0);
	bare_expect(vdso_try_seconds(vdso_shared(page)) == 1005 &&
			    vdso_try_resolution(vdso_shared(page), VDSO_CLOCK_REALTIME) == 1 &&
			    vdso_try_resolution(vdso_shared(page), VDSO_CLOCK_REALTIME_COARSE) == 4000000,
		    "time() and resolutions in a namespace");
	group_end("time namespaces", 7);
}

/* A reader that was given one page has nothing to look for behind it, whatever mode its writer sets: here that would be a fault. */
static void test_one_page(void)
{
	static const int32_t clocks[] = { VDSO_CLOCK_REALTIME, VDSO_CLOCK_MONOTONIC_RAW, VDSO_CLOCK_MONOTONIC_COARSE };
	struct vdso_page *both = page;
	struct vdso_clock clock;
	struct vdso_bounds bounds;
	struct vdso_time time;
	long child;

	group_start();
	page = bare_map(NULL, VDSO_PAGE_STEP + VDSO_PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	bare_map(page, VDSO_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
	start(1000000000, UINT64_MAX, 0, at(1000, 0));
	bare_expect(vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE, NULL) == VDSO_CLOCK_OK, "a page with nothing behind it");
	for (int block = 0; block < VDSO_BLOCKS; block++) {
		page->data[block].clock_mode = VDSO_CLOCKMODE_TIMENS;
		page->data[block].seq |= 1;
	}
	child = bare_fork();
	if (child == 0) {
		_Bool answers = vdso_clock_now_with_bounds(&clock, &bounds) == VDSO_CLOCK_OK;

		for (unsigned int i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
			answers |= vdso_clock_now(&clock, clocks[i], &time) != VDSO_CLOCK_NO_ANSWER;
		vdso_read_resolution(page, 2);
		vdso_read_seconds(page);
		assay_exit(answers);
	}
	bare_expect(bare_wait(child) == 0, "a namespace's mode sends the reader of one page elsewhere");
	page = both;
	group_end("one page, nothing behind it", 2);
}

/* The wall clock's seconds, their coarse copy and the error as no writer leaves them. The clock's C code traps an overflow here. */
static void test_hostile_bounds(void)
{
	static const struct {
		int64_t sec, coarse;
		uint64_t nsec, error_ns;
	} cases[] = {
		{ INT64_MAX, INT64_MAX, 0, 1500000000 },
		{ INT64_MAX, INT64_MAX, 999999999, 1 },
		{ INT64_MAX, INT64_MAX, 999999999, INT64_MAX },
		{ INT64_MIN, INT64_MIN, 0, 1500000000 },
		{ INT64_MIN, INT64_MIN, 0, 1 },
		{ INT64_MIN, INT64_MIN, 0, INT64_MAX },
		{ INT64_MAX, INT64_MIN, 0, 0 },
		{ INT64_MIN, INT64_MAX, 0, 0 },
	};
	struct vdso_clock clock;
	struct vdso_bounds bounds;

	group_start();
	start(1000000000, UINT64_MAX, 0, at(1, 0));
	vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE, NULL);
	page->header.status = VDSO_STATUS_SYNCHRONISED;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		long child;

		page->data[0].basetime[VDSO_CLOCK_REALTIME] = at((uint64_t)cases[i].sec, cases[i].nsec << page->data[0].shift);
		page->data[0].basetime[VDSO_CLOCK_REALTIME_COARSE].sec = (uint64_t)cases[i].coarse;
		page->header.error_ns = cases[i].error_ns;
		child = bare_fork();
		if (child == 0)
			assay_exit(vdso_clock_now_with_bounds(&clock, &bounds) == VDSO_CLOCK_OK &&
				   bounds.earliest.nsec < VDSO_NSEC_PER_SEC && bounds.latest.nsec < VDSO_NSEC_PER_SEC);
		bare_expect(bare_wait(child) == 1, "case %u of a hostile page's bounds", i);
	}
	group_end("bounds of hostile pages", sizeof(cases) / sizeof(*cases));
}

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

/* A second of slow and of fast counters, of which a little is missing. */
static void test_picoseconds(void)
{
	static const uint64_t frequencies_hz[] = { 999990, 3999990, 23999990, 99999990, 4199999990 };
	const uint64_t second = 1000000000000;

	group_start();
	for (unsigned int i = 0; i < sizeof(frequencies_hz) / sizeof(*frequencies_hz); i++) {
		uint64_t found = bare_picoseconds(frequencies_hz[i], frequencies_hz[i]);

		bare_expect(found - second + second / 1000 <= second / 500, "a second of %llu Hz is %llu ps",
			    (unsigned long long)frequencies_hz[i], (unsigned long long)found);
	}
	group_end("a bench's ticks", 5);
}

void test_readers(uint64_t cases)
{
	test_formula(cases);
	test_masks();
	test_days();
	test_namespaces();
	test_one_page();
	test_hostile_bounds();
	test_sequence();
	test_interrupted();
	test_modes();
	test_attach();
	test_picoseconds();
}
