// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The discipline with a kernel and a counter that the test moves: what this machine's would have to sleep, stop or refuse for.
 */
#include "reader_support.h"

static long kernel_call(long number, uintptr_t a, uintptr_t b, uintptr_t c);
#define vdso_syscall3 kernel_call
#include "vdso_discipline.c"

enum { CALL_NS = 100 };
#define START_NS 5000000000000ll
#define WALL_NS 1700000000000000000ll

/* The counter runs at 1 GHz, if it runs and the machine is not another one. */
static struct {
	int64_t monotonic_ns, slept_ns;
	int64_t raw_ahead_ns, slew_ppm; /* the raw clock is not slewed */
	uint64_t counter_percent; /* of 1 GHz */
	_Bool counter_stands, clocks_stand;
	long refused, calls; /* a call by its number, which is not made; how many were */
} kernel;

/* Time passes: only by this. */
static void pass(uint64_t ns)
{
	int64_t slewed_ns;

	if (kernel.clocks_stand)
		return;
	slewed_ns = (int64_t)ns * kernel.slew_ppm / 1000000;
	kernel.monotonic_ns += (int64_t)ns + slewed_ns;
	kernel.raw_ahead_ns -= slewed_ns;
	if (!kernel.counter_stands)
		counter_now += ns * kernel.counter_percent / 100;
}

static int64_t kernel_ns(uintptr_t clock)
{
	switch (clock) {
	case VDSO_CLOCK_REALTIME:
	case VDSO_CLOCK_REALTIME_COARSE:
		return WALL_NS + kernel.monotonic_ns + kernel.slept_ns;
	case VDSO_CLOCK_TAI:
		return WALL_NS + kernel.monotonic_ns + kernel.slept_ns + 37 * (int64_t)VDSO_NSEC_PER_SEC;
	case VDSO_CLOCK_BOOTTIME:
		return kernel.monotonic_ns + kernel.slept_ns;
	case VDSO_CLOCK_MONOTONIC_RAW:
		return kernel.monotonic_ns + kernel.raw_ahead_ns;
	default:
		return kernel.monotonic_ns;
	}
}

static struct vdso_discipline discipline;

/* From where a page is started to its first update, readers get no answer, or one of a clock that has long been running. */
static void expect_no_zero(void)
{
	static const int32_t clocks[] = { VDSO_CLOCK_MONOTONIC, VDSO_CLOCK_MONOTONIC_RAW, VDSO_CLOCK_MONOTONIC_COARSE,
					  VDSO_CLOCK_BOOTTIME };
	struct vdso_time now;

	for (unsigned int i = 0; i < 4 && discipline.writer.page && discipline.updates_count == 0; i++)
		bare_expect(vdso_read_time(page, NULL, clocks[i], &now) != VDSO_OK || now.sec >= 60,
			    "clock %d of a page that is being started shows %lld s", clocks[i], (long long)now.sec);
}

/* clock_gettime or clock_getres; no other call is made. The clocks are read in the middle of the call. */
static long kernel_call(long number, uintptr_t clock, uintptr_t to, uintptr_t zero)
{
	struct vdso_timestamp time;

	(void)zero;
	kernel.calls++;
	pass(CALL_NS / 2);
	expect_no_zero();
	time = number == VDSO_SYS_CLOCK_GETRES ? at(0, 1) : timestamp(kernel_ns(clock));
	pass(CALL_NS / 2);
	if (number == kernel.refused)
		return -ERROR_NO_CALL;
#ifdef VDSO_SYS_CLOCK_GETTIME64
	if (number == VDSO_SYS_CLOCK_GETTIME64) {
		((int64_t *)to)[0] = (int64_t)time.sec;
		((int64_t *)to)[1] = (int64_t)time.nsec;
		return 0;
	}
#endif
	((long *)to)[0] = (long)time.sec;
	((long *)to)[1] = (long)time.nsec;
	return 0;
}

static void boot(_Bool counter_stands)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.monotonic_ns = START_NS;
	kernel.counter_stands = counter_stands;
	kernel.refused = -1;
	kernel.counter_percent = 100;
	counter_now = 12345;
}

/* The page minus the kernel, in ns; INT64_MAX: no answer. */
static int64_t error_of(int32_t clock)
{
	struct vdso_time time;

	if (vdso_read_time(page, NULL, clock, &time) != VDSO_OK)
		return INT64_MAX;
	return time.sec * VDSO_NSEC_PER_SEC + time.nsec - kernel_ns((uintptr_t)clock);
}

static void expect_near(int32_t clock, int64_t limit_ns, const char *when)
{
	int64_t error = error_of(clock);

	bare_expect(error <= limit_ns && error >= -limit_ns, "%s: clock %d is off by %lld ns", when, clock, (long long)error);
}

static void test_with_counter(void)
{
	group_start();
	boot(0);
	bare_expect(vdso_discipline_start(&discipline, page) == VDSO_DISCIPLINE_OK, "a counter that runs is not found");
	for (int i = 0; i < 20; i++) {
		pass(10000000);
		for (unsigned int clock = 0; clock < 5; clock++)
			expect_near(fine_clocks[clock], 1000, "at an update");
		vdso_discipline_update(&discipline, 10000000);
	}
	vdso_discipline_stop(&discipline);
	bare_expect(error_of(VDSO_CLOCK_MONOTONIC) == INT64_MAX && page->header.plain_shift == 0,
		    "a page that was stopped tells a time");
	expect_near(VDSO_CLOCK_REALTIME_COARSE, 10000000, "stopped");
	group_end("discipline: a counter", 100);
}

/* A time namespace may let the monotonic clock show more than boot time, which then still counts sleeps. */
static void test_negative_offset(void)
{
	static const int64_t offsets_ns[] = { -1, -300000000, -2000000000, -4000123456789 };

	group_start();
	for (unsigned int i = 0; i < 4; i++) {
		boot(0);
		kernel.slept_ns = offsets_ns[i];
		vdso_discipline_start(&discipline, page);
		expect_near(VDSO_CLOCK_BOOTTIME, 1000, "less than monotonic");
		kernel.slept_ns += 60 * (int64_t)VDSO_NSEC_PER_SEC;
		vdso_discipline_update(&discipline, 10000000);
		expect_near(VDSO_CLOCK_BOOTTIME, 1000, "less than monotonic, after a sleep");
	}
	group_end("discipline: a time namespace's boot time", 8);
}

static void test_without_counter(void)
{
	uint64_t reads;

	group_start();
	boot(1);
	bare_expect(vdso_discipline_start(&discipline, page) == VDSO_DISCIPLINE_NO_COUNTER, "a counter that stands is taken");
	pass(10000000);
	vdso_discipline_update(&discipline, 10000000);
	expect_near(VDSO_CLOCK_MONOTONIC_COARSE, 10000, "without a counter");
	/* Hours of any counter, which may not even be there to read. */
	counter_now += 20000000000000;
	reads = counter_reads;
	vdso_discipline_stop(&discipline);
	bare_expect(counter_reads == reads, "a counter that is none is read");
	expect_near(VDSO_CLOCK_MONOTONIC_COARSE, 10000, "stopped");
	expect_near(VDSO_CLOCK_REALTIME_COARSE, 10000, "stopped");
	group_end("discipline: no counter", 5);
}

static int64_t monotonic_last, raw_last;

/* The clock if it has an answer; it never goes back. */
static _Bool answers(int32_t clock, int64_t *last)
{
	int64_t error = error_of(clock), is = error + kernel_ns((uintptr_t)clock);

	if (error == INT64_MAX)
		return 0;
	bare_expect(is >= *last, "clock %d goes back by %lld ns", clock, (long long)(*last - is));
	*last = is;
	return 1;
}

/* Updates until the page has a counter again; within that time only the coarse clocks have an answer, and a right one. */
static void recover(const char *when)
{
	int updates = 0;

	do {
		pass(10000000);
		vdso_discipline_update(&discipline, 10000000);
		expect_near(VDSO_CLOCK_REALTIME_COARSE, 1000000, when);
	} while (!answers(VDSO_CLOCK_MONOTONIC, &monotonic_last) && ++updates < 1000);
	answers(VDSO_CLOCK_MONOTONIC_RAW, &raw_last);
	for (unsigned int clock = 0; clock < 5; clock++)
		expect_near(fine_clocks[clock], 1000, when);
}

/*
 * The counter moves by so much, and by `slept_ns` of that in a sleep. Readers come before the next update, too; with a counter that
 * is behind the last one they get that one's time, which is earlier than what they had.
 */
static void jump(int64_t counter_ns, int64_t slept_ns, const char *when)
{
	counter_now += (uint64_t)counter_ns;
	kernel.slept_ns += slept_ns;
	if (counter_ns > 0) {
		answers(VDSO_CLOCK_MONOTONIC, &monotonic_last);
		answers(VDSO_CLOCK_MONOTONIC_RAW, &raw_last);
	}
	recover(when);
}

static void test_jumps(void)
{
	const int64_t second = VDSO_NSEC_PER_SEC;

	group_start();
	monotonic_last = raw_last = 0;
	boot(0);
	vdso_discipline_start(&discipline, page);
	recover("at the start");
	jump(60 * second, 60 * second, "after a sleep in which the counter ran");
	jump(0, 60 * second, "after a sleep in which it did not");
	jump(second / 2, second / 2, "after a short sleep");
	jump(-120 * second, 0, "with a counter that was set back");
	jump(-(int64_t)counter_now, 0, "with a counter that begins anew");
	kernel.monotonic_ns += 10 * second;
	recover("after the kernel's clocks ran ahead");
	pass(2 * second);
	answers(VDSO_CLOCK_MONOTONIC, &monotonic_last);
	recover("after an update that came late");
	pass(20 * second);
	bare_expect(error_of(VDSO_CLOCK_MONOTONIC) == INT64_MAX && error_of(VDSO_CLOCK_MONOTONIC_RAW) == INT64_MAX,
		    "a page whose writer ended long ago tells the time");
	group_end("discipline: a counter that jumps", 9);
}

/* Readers of a page that is updated every two seconds get answers for eight. The interval is then said to be shorter, after a jump. */
static void test_shorter_interval(void)
{
	const int64_t second = VDSO_NSEC_PER_SEC, jumps = 6 * second;

	group_start();
	monotonic_last = raw_last = 0;
	boot(0);
	vdso_discipline_start(&discipline, page);
	for (int i = 0; i < 3; i++) {
		pass((uint64_t)second);
		vdso_discipline_update(&discipline, 2 * (uint64_t)second);
	}
	jump(jumps, jumps, "after a jump and a shorter interval");
	bare_expect(monotonic_last > START_NS + 3 * second + jumps, "no reader came within the lifetime");
	group_end("discipline: a shorter interval", 2);
}

static void expect_bounds(uint64_t from_ns, uint64_t to_ns)
{
	struct vdso_clock clock = { .page = page };
	struct vdso_bounds bounds = { .generation = 0 };
	int64_t early, late;

	vdso_discipline_update(&discipline, 10000000);
	bare_expect(vdso_clock_now_with_bounds(&clock, &bounds) == VDSO_CLOCK_OK &&
			    page->header.status == VDSO_STATUS_SYNCHRONISED,
		    "no bounds");
	early = between_ns(bounds.earliest, bounds.now);
	late = between_ns(bounds.now, bounds.latest);
	bare_expect(early == late && late >= (int64_t)from_ns && late <= (int64_t)to_ns,
		    "bounds of -%lld and +%lld ns, expected %llu to %llu", (long long)early, (long long)late,
		    (unsigned long long)from_ns, (unsigned long long)to_ns);
}

static void expect_no_bounds(const char *when)
{
	struct vdso_clock clock = { .page = page };
	struct vdso_bounds bounds;

	vdso_discipline_update(&discipline, 10000000);
	bare_expect(vdso_clock_now_with_bounds(&clock, &bounds) == VDSO_CLOCK_NO_BOUND &&
			    page->header.status == VDSO_STATUS_UNKNOWN && error_of(VDSO_CLOCK_REALTIME) != INT64_MAX,
		    "bounds %s", when);
}

/* The kernel's wall clock, if the page has an answer at all. */
static void expect_in_bounds(const char *when)
{
	struct vdso_clock clock = { .page = page };
	struct vdso_bounds bounds;
	struct vdso_time kernels;

	if (vdso_clock_now_with_bounds(&clock, &bounds) != VDSO_CLOCK_OK)
		return;
	kernels.sec = (int64_t)timestamp(kernel_ns(VDSO_CLOCK_REALTIME)).sec;
	kernels.nsec = (uint32_t)timestamp(kernel_ns(VDSO_CLOCK_REALTIME)).nsec;
	bare_expect(between_ns(bounds.earliest, kernels) >= 0 && between_ns(kernels, bounds.latest) >= 0,
		    "%s: bounds of -%lld and +%lld ns miss the kernel's clock, which is %lld ns later", when,
		    (long long)between_ns(bounds.earliest, bounds.now), (long long)between_ns(bounds.now, bounds.latest),
		    (long long)between_ns(bounds.now, kernels));
}

/* The kernel's own error is told from outside; within a second the page's own is below a microsecond and its drift below 1 ppm. */
static void test_reference(void)
{
	group_start();
	boot(0);
	vdso_discipline_start(&discipline, page);
	expect_no_bounds("of a kernel of which nothing is known");
	vdso_discipline_set_reference(&discipline, 0, 0);
	for (int i = 0; i < 400; i++) {
		pass(10000000);
		vdso_discipline_update(&discipline, 10000000);
	}
	expect_bounds(1, 2000);
	vdso_discipline_set_reference(&discipline, 5000000, 500000);
	expect_bounds(5500001, 5502000);
	vdso_discipline_set_reference(&discipline, 5000000, UINT32_MAX);
	expect_bounds(5000001ull + UINT32_MAX, 5002000ull + UINT32_MAX);
	vdso_discipline_set_reference(&discipline, UINT64_MAX - 1, 0);
	expect_no_bounds("of the largest number");
	vdso_discipline_set_reference(&discipline, 7000000000, 0);
	expect_bounds(7000000001, 7000002000);
	counter_now -= VDSO_NSEC_PER_SEC;
	expect_bounds(7000000001, 7000002000);
	vdso_discipline_set_reference(&discipline, UINT64_MAX, 500000);
	expect_no_bounds("of a kernel that is not synchronised");
	group_end("discipline: the kernel's own error", 11);
}

/*
 * The kernel's clock is slewed as far as chronyd goes, or by a little: the page follows, and says how closely from the update on
 * that sees it. Of a slew that takes it out of step that is the second.
 */
static void test_slews(void)
{
	static const int64_t slews_ppm[] = { 83333, 0, -83333, 20000, 500, -400, 300, 0 };
	static const uint64_t intervals_ns[] = { 10000000, 100000000, 1000000000 };

	group_start();
	boot(0);
	vdso_discipline_start(&discipline, page);
	vdso_discipline_set_reference(&discipline, 0, 0);
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int slew = 0; slew < 8; slew++) {
			kernel.slew_ppm = slews_ppm[slew];
			for (int updates = 0; updates < 40; updates++) {
				pass(intervals_ns[i]);
				if (updates > 1 || (updates > 0 && i == 0))
					expect_in_bounds("slewed");
				vdso_discipline_update(&discipline, intervals_ns[i]);
			}
			for (unsigned int clock = 0; clock < 5; clock++)
				expect_near(fine_clocks[clock], 1000000, "slewed");
		}
	group_end("discipline: a kernel that slews its clock", 24);
}

/* Another machine's counter, faster or slower: the page finds its frequency, and no clock goes back meanwhile. */
static void test_frequencies(void)
{
	static const uint64_t percents[] = { 150, 100, 60, 95, 105, 3, 100 };
	static const uint64_t intervals_ns[] = { 10000000, 1000000, 1000000000 };

	group_start();
	monotonic_last = raw_last = 0;
	boot(0);
	vdso_discipline_start(&discipline, page);
	vdso_discipline_set_reference(&discipline, 0, 0);
	for (unsigned int i = 0; i < 21; i++) {
		kernel.counter_percent = percents[i % 7];
		for (int updates = 0; updates < 60; updates++) {
			pass(intervals_ns[i / 7]);
			answers(VDSO_CLOCK_MONOTONIC, &monotonic_last);
			answers(VDSO_CLOCK_MONOTONIC_RAW, &raw_last);
			if (updates > 40)
				expect_in_bounds("another frequency");
			vdso_discipline_update(&discipline, intervals_ns[i / 7]);
		}
		for (unsigned int clock = 0; clock < 5; clock++)
			expect_near(fine_clocks[clock], 10000, "another frequency");
	}
	group_end("discipline: a counter of another frequency", 21);
}

/* A filter of system calls, a kernel before the younger call, clocks that stand still: an answer, and soon. */
static void test_refused(void)
{
	group_start();
	boot(0);
	kernel.refused = VDSO_SYS_CLOCK_GETTIME;
#ifdef VDSO_SYS_CLOCK_GETTIME64
	bare_expect(vdso_discipline_start(&discipline, page) == VDSO_DISCIPLINE_OK, "without the older call");
	kernel.refused = VDSO_SYS_CLOCK_GETTIME64;
	bare_expect(vdso_discipline_start(&discipline, page) == VDSO_DISCIPLINE_OK, "without the younger call");
	expect_near(VDSO_CLOCK_REALTIME, 1000, "without the younger call");
	kernel.clocks_stand = 1;
	bare_expect(vdso_discipline_start(&discipline, page) == VDSO_DISCIPLINE_NO_CLOCKS, "clocks that stand still");
#else
	bare_expect(vdso_discipline_start(&discipline, page) == VDSO_DISCIPLINE_NO_CLOCKS && kernel.calls < 100 &&
			    page->data[0].seq == 0,
		    "clocks that are refused are asked %ld times", kernel.calls);
	kernel.refused = -1;
	kernel.clocks_stand = 1;
	bare_expect(vdso_discipline_start(&discipline, page) == VDSO_DISCIPLINE_NO_CLOCKS, "clocks that stand still");
	kernel.clocks_stand = 0;
	bare_expect(vdso_discipline_start(&discipline, page) == VDSO_DISCIPLINE_OK, "clocks that run again");
	kernel.refused = VDSO_SYS_CLOCK_GETTIME;
	bare_expect(!vdso_discipline_update(&discipline, 10000000), "an update without clocks");
	expect_near(VDSO_CLOCK_REALTIME, 1000, "an update without clocks");
#endif
	for (int result = VDSO_DISCIPLINE_OK; result <= VDSO_DISCIPLINE_NO_CLOCKS; result++)
		bare_expect(vdso_discipline_describe((enum vdso_discipline_result)result)[0] != 'u', "result %d has no words",
			    result);
	group_end("discipline: clocks that are refused", 5);
}

void test_discipline(void)
{
	test_with_counter();
	test_negative_offset();
	test_without_counter();
	test_refused();
	test_jumps();
	test_shorter_interval();
	test_reference();
	test_slews();
	test_frequencies();
}
