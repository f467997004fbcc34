// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See vdso_discipline.h. */
#include "vdso_discipline.h"
#include "vdso_read.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { BRACKETS = 7, STEPS_SEEN = 16 };
#define MEASURE_NS 20000000 /* of the first measurement of the rate */
#define RATE_PPB_MAX 10000000 /* no clock's rate is further off */
#define STEER_PPB_MAX 500000 /* beyond the measured rate: the kernel's own limit */
#define BASELINE_NS 4000000000 /* rates are measured over one to two of these */
/* The counter's own wander over some seconds, on top of what the measurement leaves open. */
#define DRIFT_PPB 500

_Bool vdso_counter_usable(void)
{
#if defined(__x86_64__) && !defined(VDSO_TEST_COUNTER)
	unsigned int a, b, c, d;

	/* CPUID 80000001h EDX bit 27: rdtscp; 80000007h EDX bit 8: the TSC runs at one rate whatever the power state. */
	if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(d & 1u << 27))
		return 0;
	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#else
	return 1;
#endif
}

struct kernel_time {
	int64_t sec, nsec;
};

static int64_t kernel_clock(int32_t clock)
{
	struct kernel_time time = { 0, 0 };

#ifdef VDSO_SYS_CLOCK_GETTIME64
	vdso_syscall3(VDSO_SYS_CLOCK_GETTIME64, (uintptr_t)clock, (uintptr_t)&time, 0);
#else
	vdso_syscall3(VDSO_SYS_CLOCK_GETTIME, (uintptr_t)clock, (uintptr_t)&time, 0);
#endif
	return time.sec * VDSO_NSEC_PER_SEC + time.nsec;
}

static uint32_t kernel_resolution(int32_t clock)
{
	long time[2] = { 0, 0 };

	vdso_syscall3(VDSO_SYS_CLOCK_GETRES, (uintptr_t)clock, (uintptr_t)time, 0);
	return (uint32_t)time[1];
}

/* The counter, the kernel's clock, the counter again: of several such readings, the narrowest. */
struct reading {
	uint64_t cycles; /* in the middle */
	uint64_t width; /* between the two */
	int64_t ns;
};

static struct reading read_kernel(int32_t clock)
{
	struct reading best = { 0, UINT64_MAX, 0 };

	for (int i = 0; i < BRACKETS; i++) {
		uint64_t before = vdso_counter(), after;
		int64_t ns = kernel_clock(clock);

		after = vdso_counter();
		if (after - before < best.width)
			best = (struct reading){ before + (after - before) / 2, after - before, ns };
	}
	return best;
}

static int64_t nanoseconds(struct vdso_timestamp time)
{
	return (int64_t)(time.sec * VDSO_NSEC_PER_SEC + time.nsec);
}

/* For a non-negative number of nanoseconds. */
static struct vdso_timestamp timestamp(int64_t ns)
{
	struct vdso_wide wide = { { (uint32_t)ns, (uint32_t)((uint64_t)ns >> 32), 0, 0 } };
	uint64_t nsec = vdso_wide_split(&wide);

	return (struct vdso_timestamp){ (uint64_t)wide.word[1] << 32 | wide.word[0], nsec };
}

/* a * b / c for numbers whose product needs more than 64 bits; c below 2^63. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t high = vdso_multiply_high(a, b), low = a * b, quotient = 0, rest = high;

	/* Long division of 128 bits by 64; a quotient of more than 64 bits does not occur. */
	for (int bit = 63; bit >= 0; bit--) {
		rest = rest << 1 | (low >> bit & 1);
		quotient <<= 1;
		if (rest >= c) {
			rest -= c;
			quotient |= 1;
		}
	}
	return quotient;
}

/* An offset's interval, from a reading of the clock between two of the monotonic one. */
static struct vdso_interval measure_offset(int32_t clock)
{
	struct vdso_interval best = { INT64_MIN, INT64_MAX };

	for (int i = 0; i < BRACKETS; i++) {
		int64_t before = kernel_clock(VDSO_CLOCK_MONOTONIC), other = kernel_clock(clock);
		int64_t after = kernel_clock(VDSO_CLOCK_MONOTONIC);

		if (other - after > best.low)
			best.low = other - after;
		if (other - before < best.high)
			best.high = other - before;
	}
	return best;
}

/* Narrows what is known; true if the new bracket contradicts it, which is a step. */
static _Bool narrow(struct vdso_interval *known, struct vdso_interval bracket)
{
	if (bracket.low > known->high || bracket.high < known->low || bracket.low > bracket.high) {
		*known = bracket;
		return 1;
	}
	if (bracket.low > known->low)
		known->low = bracket.low;
	if (bracket.high < known->high)
		known->high = bracket.high;
	return 0;
}

static int64_t middle(struct vdso_interval interval)
{
	return interval.low + (interval.high - interval.low) / 2;
}

static int32_t kernel_tai_offset(void)
{
	int64_t realtime = kernel_clock(VDSO_CLOCK_REALTIME);
	/* Whole seconds, and the time between the two calls: rounded down. */
	int64_t difference = kernel_clock(VDSO_CLOCK_TAI) - realtime;

	return difference <= 0 ? 0 : (int32_t)timestamp(difference).sec;
}

static void publish_offsets(struct vdso_discipline *discipline, struct vdso_timestamp monotonic)
{
	struct vdso_writer *writer = &discipline->writer;
	int64_t realtime = nanoseconds(monotonic) + middle(discipline->realtime);
	struct vdso_timestamp boot = timestamp(middle(discipline->boottime) > 0 ? middle(discipline->boottime) : 0);

	vdso_writer_set_realtime(writer, timestamp(realtime));
	/* Boot time never goes back: an offset that was measured too large stays. */
	if (nanoseconds(boot) > nanoseconds(writer->to_boottime))
		writer->to_boottime = boot;
}

/* The clock's rate since the loop's older moment, against the nominal frequency. */
static int64_t measured_ppb(const struct vdso_loop *loop, const struct reading *now, uint64_t frequency_hz)
{
	int64_t nominal = (int64_t)scale(now->cycles - loop->older.cycles, VDSO_NSEC_PER_SEC, frequency_hz);
	int64_t ahead = now->ns - loop->older.ns - nominal;
	uint64_t size = (uint64_t)(ahead < 0 ? -ahead : ahead);

	if (nominal <= 0)
		return 0;
	size = scale(size, VDSO_NSEC_PER_SEC, (uint64_t)nominal);
	return ahead < 0 ? -(int64_t)size : (int64_t)size;
}

/* The middle is known to half the bracket, and each end of the bracket to one step of the counter. */
static uint64_t bracket_of(const struct vdso_discipline *discipline, const struct reading *reading, uint64_t frequency_hz)
{
	return scale(reading->width / 2 + 1 + discipline->counter_step, VDSO_NSEC_PER_SEC, frequency_hz) + 2;
}

/*
 * A counter may count at one rate and move at another: QEMU 7.2's user mode gives AArch64 a counter of 62.5 MHz that moves once
 * a microsecond. A counter that never moves has no step; its frequency will come out as 0.
 */
static uint64_t measure_step(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < STEPS_SEEN; i++) {
		uint64_t before = vdso_counter(), after = before;

		for (int tries = 0; after == before && tries < 100000; tries++)
			after = vdso_counter();
		if (after != before && after - before < least)
			least = after - before;
	}
	return least == UINT64_MAX ? 0 : least;
}

/* Reads the clock, notes the page's error, and returns the rate that halves it by the next update. */
static int64_t steer(struct vdso_discipline *discipline, struct vdso_loop *loop, uint64_t interval_ns)
{
	uint64_t frequency_hz = discipline->writer.source.frequency_hz;
	struct reading now = read_kernel(loop->clock);
	int64_t correction, rate;
	uint32_t rate_open_ppb;
	uint64_t size;

	loop->error_ns = nanoseconds(vdso_writer_time(&discipline->writer, now.cycles, loop->clock)) - now.ns;
	loop->bracket_ns = bracket_of(discipline, &now, frequency_hz);
	loop->rate_ppb = measured_ppb(loop, &now, frequency_hz);
	rate_open_ppb = (uint32_t)scale(loop->older.bracket_ns + loop->bracket_ns, VDSO_NSEC_PER_SEC,
					(uint64_t)(now.ns - loop->older.ns + 1));
	if (now.ns - loop->newer.ns > BASELINE_NS) {
		loop->older = loop->newer;
		loop->newer = (struct vdso_moment){ now.cycles, now.ns, loop->bracket_ns };
	}
	size = (uint64_t)(loop->error_ns < 0 ? -loop->error_ns : loop->error_ns);
	size = size > 1000000 ? STEER_PPB_MAX : scale(size, VDSO_NSEC_PER_SEC / 2, interval_ns);
	correction = size > STEER_PPB_MAX ? STEER_PPB_MAX : (int64_t)size;
	loop->drift_ppb = DRIFT_PPB + (uint32_t)correction + rate_open_ppb;
	rate = loop->rate_ppb + (loop->error_ns > 0 ? -correction : correction);
	return rate > RATE_PPB_MAX ? RATE_PPB_MAX : rate < -RATE_PPB_MAX ? -RATE_PPB_MAX : rate;
}

static void measure_offsets(struct vdso_discipline *discipline)
{
	if (narrow(&discipline->realtime, measure_offset(VDSO_CLOCK_REALTIME)))
		discipline->steps_count++;
	narrow(&discipline->boottime, measure_offset(VDSO_CLOCK_BOOTTIME));
	vdso_writer_set_tai_offset(&discipline->writer, kernel_tai_offset());
}

/* Without a counter the page has coarse clocks only: set forward to the kernel's. */
static void update_without_counter(struct vdso_discipline *discipline)
{
	struct vdso_writer *writer = &discipline->writer;
	int64_t now = kernel_clock(VDSO_CLOCK_MONOTONIC), raw = kernel_clock(VDSO_CLOCK_MONOTONIC_RAW);

	measure_offsets(discipline);
	vdso_writer_begin(writer, 0);
	vdso_writer_set_monotonic(writer, timestamp(now), timestamp(now + middle(discipline->boottime)), timestamp(raw));
	publish_offsets(discipline, timestamp(now));
	vdso_writer_commit(writer);
}

void vdso_discipline_update(struct vdso_discipline *discipline, uint64_t interval_ns)
{
	struct vdso_writer *writer = &discipline->writer;
	int64_t monotonic_ppb, raw_ppb;
	uint64_t error;

	discipline->updates_count++;
	if (writer->source.mode == VDSO_CLOCKMODE_NONE) {
		update_without_counter(discipline);
		return;
	}
	monotonic_ppb = steer(discipline, &discipline->monotonic, interval_ns);
	raw_ppb = steer(discipline, &discipline->raw, interval_ns);
	measure_offsets(discipline);
	/* Relative to the kernel's clock, not to true time: how far the kernel's clock is off, adjtimex tells. */
	error = (uint64_t)(discipline->monotonic.error_ns < 0 ? -discipline->monotonic.error_ns :
								discipline->monotonic.error_ns);
	error += discipline->monotonic.bracket_ns + (uint64_t)(discipline->realtime.high - discipline->realtime.low);
	vdso_writer_set_error(writer, VDSO_STATUS_SYNCHRONISED, error, discipline->monotonic.drift_ppb);
	/* From here on readers wait, so everything that takes long has been done before. */
	vdso_writer_open(writer);
	vdso_writer_begin(writer, vdso_counter());
	vdso_writer_slew(writer, monotonic_ppb);
	vdso_writer_trim(writer, raw_ppb);
	publish_offsets(discipline, vdso_writer_time(writer, writer->cycle_last, VDSO_CLOCK_MONOTONIC));
	vdso_writer_commit(writer);
}

void vdso_discipline_stop(struct vdso_discipline *discipline)
{
	struct vdso_writer *writer = &discipline->writer;
	struct vdso_source none = writer->source;
	_Bool counts = none.mode != VDSO_CLOCKMODE_NONE;

	none.mode = VDSO_CLOCKMODE_NONE;
	vdso_writer_open(writer);
	/* Without a counter the page's clocks are where the last update set them, and reading one may be an invalid instruction. */
	vdso_writer_begin(writer, counts ? vdso_counter() : 0);
	/* Never refused: it is the source that the page has. */
	vdso_writer_switch(writer, &none, writer->cycle_last);
	vdso_writer_set_error(writer, VDSO_STATUS_UNKNOWN, UINT64_MAX, 0);
	vdso_writer_commit(writer);
}

/* Reads until both clocks have run long enough for their rates, and starts the two loops. */
static uint64_t measure_frequency(struct vdso_discipline *discipline)
{
	struct reading first = read_kernel(VDSO_CLOCK_MONOTONIC_RAW), raw;
	struct reading monotonic = read_kernel(VDSO_CLOCK_MONOTONIC);
	uint64_t frequency_hz;

	do
		raw = read_kernel(VDSO_CLOCK_MONOTONIC_RAW);
	while (raw.ns - first.ns < MEASURE_NS);
	frequency_hz = scale(raw.cycles - first.cycles, VDSO_NSEC_PER_SEC, (uint64_t)(raw.ns - first.ns));
	if (frequency_hz == 0)
		return 0;
	discipline->raw.older = (struct vdso_moment){ first.cycles, first.ns, bracket_of(discipline, &first, frequency_hz) };
	discipline->raw.newer = discipline->raw.older;
	discipline->monotonic.older =
		(struct vdso_moment){ monotonic.cycles, monotonic.ns, bracket_of(discipline, &monotonic, frequency_hz) };
	discipline->monotonic.newer = discipline->monotonic.older;
	return frequency_hz;
}

static void start_clocks(struct vdso_discipline *discipline, struct vdso_page *page, const struct vdso_source *source,
			 enum vdso_writer_result *result)
{
	struct vdso_writer *writer = &discipline->writer;
	_Bool counts = source->mode != VDSO_CLOCKMODE_NONE;
	struct reading now = { 0, 0, kernel_clock(VDSO_CLOCK_MONOTONIC) };
	int64_t raw = kernel_clock(VDSO_CLOCK_MONOTONIC_RAW);

	if (counts)
		now = read_kernel(VDSO_CLOCK_MONOTONIC);
	*result = vdso_writer_start(writer, page, source, now.cycles, timestamp(now.ns + middle(discipline->realtime)),
				    kernel_resolution(VDSO_CLOCK_MONOTONIC_COARSE));
	if (*result != VDSO_WRITER_OK)
		return;
	if (counts) {
		struct reading reading = read_kernel(VDSO_CLOCK_MONOTONIC_RAW);

		raw = reading.ns - (int64_t)scale(reading.cycles - now.cycles, VDSO_NSEC_PER_SEC, source->frequency_hz);
	}
	writer->hrtimer_res = kernel_resolution(VDSO_CLOCK_MONOTONIC);
	vdso_writer_begin(writer, now.cycles);
	vdso_writer_set_monotonic(writer, timestamp(now.ns), timestamp(now.ns + middle(discipline->boottime)), timestamp(raw));
	measure_offsets(discipline);
	publish_offsets(discipline, timestamp(now.ns));
	vdso_writer_commit(writer);
}

_Bool vdso_discipline_start(struct vdso_discipline *discipline, struct vdso_page *page)
{
	struct vdso_source source = { .mode = VDSO_CLOCKMODE_NONE, .mask = UINT64_MAX, .frequency_hz = VDSO_NSEC_PER_SEC };
	enum vdso_writer_result result;

	*discipline = (struct vdso_discipline){
		.monotonic = { .clock = VDSO_CLOCK_MONOTONIC },
		.raw = { .clock = VDSO_CLOCK_MONOTONIC_RAW },
		.realtime = measure_offset(VDSO_CLOCK_REALTIME),
		.boottime = measure_offset(VDSO_CLOCK_BOOTTIME),
	};
	if (vdso_counter_usable()) {
		discipline->counter_step = measure_step();
		source.frequency_hz = measure_frequency(discipline);
		source.mode = VDSO_CLOCKMODE_ARCH;
		result = VDSO_WRITER_BAD_FREQUENCY;
		if (source.frequency_hz)
			start_clocks(discipline, page, &source, &result);
		if (result == VDSO_WRITER_OK) {
			vdso_discipline_update(discipline, MEASURE_NS);
			return 1;
		}
		/* A counter that stands still, or at a rate that no page can hold. */
		source = (struct vdso_source){ VDSO_CLOCKMODE_NONE, 0, UINT64_MAX, VDSO_NSEC_PER_SEC };
	}
	start_clocks(discipline, page, &source, &result);
	return 0;
}

#if defined(__x86_64__)
enum { CALL_SCHED_SETAFFINITY = 203, CALL_SCHED_GETAFFINITY = 204, CPUS_MAX = 4096, CPU_NODE_SELECTOR = 0x7b };

/* The flags that are true of this processor. */
static uint32_t flags_on(unsigned int cpu, uint32_t flags)
{
	unsigned long one[CPUS_MAX / 64] = { 0 };
	unsigned int limit = UINT32_MAX, here = UINT32_MAX, node = 0;
	uint64_t number = UINT64_MAX;

	one[cpu / 64] = 1ul << cpu % 64;
	/* A processor that was taken away meanwhile no longer counts. */
	if (vdso_syscall3(CALL_SCHED_SETAFFINITY, 0, sizeof(one), (uintptr_t)one) != 0)
		return flags;
	vdso_syscall3(VDSO_SYS_GETCPU, (uintptr_t)&here, (uintptr_t)&node, 0);
	__asm__ volatile("lsl %1, %0" : "+r"(limit) : "r"(CPU_NODE_SELECTOR));
	if (here != cpu || limit != (node << 12 | here))
		return 0;
	if (flags & VDSO_FLAG_RDPID)
		__asm__ volatile(".byte 0xf3, 0x0f, 0xc7, 0xf8" : "=a"(number));
	return number == limit ? flags : flags & ~(uint32_t)VDSO_FLAG_RDPID;
}

uint32_t vdso_getcpu_flags(void)
{
	unsigned long all[CPUS_MAX / 64] = { 0 };
	uint32_t flags = VDSO_FLAG_GETCPU;
	unsigned int a, b, c, d;

	/* CPUID 7 ECX bit 22: rdpid. */
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & 1u << 22))
		flags |= VDSO_FLAG_RDPID;
	if (vdso_syscall3(CALL_SCHED_GETAFFINITY, 0, sizeof(all), (uintptr_t)all) <= 0)
		return 0;
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		if (all[cpu / 64] >> cpu % 64 & 1)
			flags &= flags_on(cpu, flags);
	vdso_syscall3(CALL_SCHED_SETAFFINITY, 0, sizeof(all), (uintptr_t)all);
	return flags & VDSO_FLAG_GETCPU ? flags : 0;
}
#else
uint32_t vdso_getcpu_flags(void)
{
	return 0;
}
#endif
