// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See vdso_discipline.h. */
#include "vdso_discipline.h"
#include "vdso_read.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { BRACKETS = 7, STEPS_SEEN = 16 };
#define MEASURE_NS 20000000 /* of the first measurement of the rate */
#define MEASURE_READINGS_MAX 200000 /* in that time; one is seven system calls, which take more than 100 ns */
#define RATE_PPB_MAX 100000000 /* what a writer takes; the kernel lets chronyd slew its clock by 83333 ppm */
#define COUNTER_HZ_MAX 100000000000 /* no counter is faster: what looks so is a jump */
#define STEER_PPB_MAX 500000 /* beyond the measured rate: the kernel's own limit */
#define BASELINE_NS 4000000000 /* rates are measured over one to two of these */
#define STEP_NS 1000000 /* a page that is further off is set, not steered: that would take more than two seconds */
#define LIFETIME_NS_MIN \
	1000000000 /* of a page that is not updated: also a thread that waits for a busy machine comes by then */
/* The counter's own wander over some seconds, on top of what the measurement leaves open. */
#define DRIFT_PPB 500
#define DRIFT_PPB_MAX 4000000000 /* beyond this a rate is not known at all; with what is added it stays in 32 bits */

const char *vdso_discipline_describe(enum vdso_discipline_result result)
{
	switch (result) {
	case VDSO_DISCIPLINE_OK:
		return "started";
	case VDSO_DISCIPLINE_NO_COUNTER:
		return "this processor has no counter that can be trusted: the page has the coarse clocks alone";
	case VDSO_DISCIPLINE_NO_CLOCKS:
		return "the kernel's clocks cannot be read: let this process call clock_gettime";
	}
	return "unknown";
}

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

/* Nanoseconds of a clock; false if the kernel does not tell. */
static _Bool kernel_clock(int32_t clock, int64_t *ns)
{
	long time[2] = { 0, 0 };
#ifdef VDSO_SYS_CLOCK_GETTIME64
	int64_t wide[2] = { 0, 0 };

	if (vdso_syscall3(VDSO_SYS_CLOCK_GETTIME64, (uintptr_t)clock, (uintptr_t)wide, 0) == 0) {
		*ns = wide[0] * VDSO_NSEC_PER_SEC + wide[1];
		return 1;
	}
	/* A kernel before 5.1, or a filter of system calls that does not know the younger one: they have the older one. */
#endif
	if (vdso_syscall3(VDSO_SYS_CLOCK_GETTIME, (uintptr_t)clock, (uintptr_t)time, 0) != 0)
		return 0;
	*ns = (int64_t)time[0] * VDSO_NSEC_PER_SEC + time[1];
	return 1;
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

/* Reading a counter that is none may be an invalid instruction. */
static uint64_t counter(const struct vdso_discipline *discipline)
{
	return discipline->counter.mode == VDSO_CLOCKMODE_NONE ? 0 : vdso_counter();
}

static _Bool read_kernel(const struct vdso_discipline *discipline, int32_t clock, struct reading *best)
{
	*best = (struct reading){ 0, UINT64_MAX, 0 };
	for (int i = 0; i < BRACKETS; i++) {
		uint64_t before = counter(discipline), after;
		int64_t ns;

		if (!kernel_clock(clock, &ns))
			return 0;
		after = counter(discipline);
		if (after - before < best->width)
			*best = (struct reading){ before + (after - before) / 2, after - before, ns };
	}
	return 1;
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

/* For any number; nanoseconds of an offset are not negative. */
static struct vdso_timestamp offset(int64_t ns)
{
	struct vdso_timestamp size;

	if (ns >= 0)
		return timestamp(ns);
	size = timestamp(-ns);
	if (size.nsec == 0)
		return (struct vdso_timestamp){ 0 - size.sec, 0 };
	return (struct vdso_timestamp){ 0 - size.sec - 1, VDSO_NSEC_PER_SEC - size.nsec };
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
static _Bool measure_offset(int32_t clock, struct vdso_interval *best)
{
	*best = (struct vdso_interval){ INT64_MIN, INT64_MAX };
	for (int i = 0; i < BRACKETS; i++) {
		int64_t before, other, after;

		if (!kernel_clock(VDSO_CLOCK_MONOTONIC, &before) || !kernel_clock(clock, &other) ||
		    !kernel_clock(VDSO_CLOCK_MONOTONIC, &after))
			return 0;
		if (other - after > best->low)
			best->low = other - after;
		if (other - before < best->high)
			best->high = other - before;
	}
	return 1;
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

static _Bool kernel_tai_offset(int32_t *seconds)
{
	int64_t realtime, tai;

	if (!kernel_clock(VDSO_CLOCK_REALTIME, &realtime) || !kernel_clock(VDSO_CLOCK_TAI, &tai))
		return 0;
	/* Whole seconds, and the time between the two calls: rounded down. */
	*seconds = tai <= realtime ? 0 : (int32_t)timestamp(tai - realtime).sec;
	return 1;
}

/* All that the kernel is asked for one update, before the page is touched. */
struct observation {
	struct reading monotonic, raw;
	struct vdso_interval realtime, boottime;
	int32_t tai_offset;
};

static _Bool observe(const struct vdso_discipline *discipline, struct observation *seen)
{
	return read_kernel(discipline, VDSO_CLOCK_MONOTONIC, &seen->monotonic) &&
	       read_kernel(discipline, VDSO_CLOCK_MONOTONIC_RAW, &seen->raw) &&
	       measure_offset(VDSO_CLOCK_REALTIME, &seen->realtime) && measure_offset(VDSO_CLOCK_BOOTTIME, &seen->boottime) &&
	       kernel_tai_offset(&seen->tai_offset);
}

/* The raw clock at the reading of the monotonic one, which came before. */
static int64_t raw_at_monotonic(const struct vdso_discipline *discipline, const struct observation *seen)
{
	uint64_t before = seen->monotonic.cycles, after = seen->raw.cycles;

	return seen->raw.ns -
	       (after < before ? 0 : (int64_t)scale(after - before, VDSO_NSEC_PER_SEC, discipline->counter.frequency_hz));
}

/*
 * Boot time never goes back: an offset that was measured too large stays. The first is negative only if it cannot be 0, in a
 * time namespace whose monotonic clock is the one further ahead.
 */
static int64_t boottime_offset(const struct vdso_discipline *discipline)
{
	int64_t measured = middle(discipline->boottime), published = nanoseconds(discipline->writer.to_boottime);

	return measured > published || (discipline->updates_count == 0 && discipline->boottime.high < 0) ? measured : published;
}

static void publish_offsets(struct vdso_discipline *discipline, struct vdso_timestamp monotonic)
{
	struct vdso_writer *writer = &discipline->writer;

	vdso_writer_set_realtime(writer, timestamp(nanoseconds(monotonic) + middle(discipline->realtime)));
	writer->to_boottime = offset(boottime_offset(discipline));
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

static uint64_t magnitude(int64_t ns)
{
	return (uint64_t)(ns < 0 ? -ns : ns);
}

/* What the page shows at a counter value, which may lie before the last update. */
static int64_t page_ns(const struct vdso_discipline *discipline, uint64_t cycles, int32_t clock)
{
	const struct vdso_writer *writer = &discipline->writer;
	uint64_t behind = writer->cycle_last - cycles;
	int64_t ns = nanoseconds(vdso_writer_time(writer, cycles, clock));

	return (int64_t)behind <= 0 ? ns : ns - (int64_t)scale(behind, VDSO_NSEC_PER_SEC, discipline->counter.frequency_hz);
}

/* Notes the page's error; false if it is so large that the counter or the clock must have jumped. */
static _Bool compare(struct vdso_discipline *discipline, struct vdso_loop *loop, const struct reading *now)
{
	loop->error_ns = page_ns(discipline, now->cycles, loop->clock) - now->ns;
	loop->bracket_ns = bracket_of(discipline, now, discipline->counter.frequency_hz);
	return magnitude(loop->error_ns) <= STEP_NS + loop->bracket_ns;
}

static int64_t limited(int64_t rate_ppb)
{
	return rate_ppb > RATE_PPB_MAX ? RATE_PPB_MAX : rate_ppb < -RATE_PPB_MAX ? -RATE_PPB_MAX : rate_ppb;
}

/* The rate, and how far it may be off. */
static void measure_rate(const struct vdso_discipline *discipline, struct vdso_loop *loop, const struct reading *now)
{
	uint64_t open_ppb =
		scale(loop->older.bracket_ns + loop->bracket_ns, VDSO_NSEC_PER_SEC, (uint64_t)(now->ns - loop->older.ns + 1));

	loop->rate_ppb = limited(measured_ppb(loop, now, discipline->counter.frequency_hz));
	loop->drift_ppb = open_ppb > DRIFT_PPB_MAX ? DRIFT_PPB_MAX : DRIFT_PPB + (uint32_t)open_ppb;
}

/*
 * An error beyond what a reading leaves open came about since the last update: the kernel's clock has another rate, of which the
 * one measured over seconds has but a part yet. As much may be added by the next update.
 */
static uint32_t drift_seen_ppb(const struct vdso_loop *loop, uint64_t interval_ns)
{
	uint64_t error = magnitude(loop->error_ns), ppb;

	if (error <= loop->bracket_ns)
		return 0;
	ppb = scale(error - loop->bracket_ns, VDSO_NSEC_PER_SEC, interval_ns);
	return ppb > 2 * RATE_PPB_MAX ? 2 * RATE_PPB_MAX : (uint32_t)ppb;
}

/* The rate that halves the page's error by the next update. */
static int64_t steer(struct vdso_discipline *discipline, struct vdso_loop *loop, struct reading now, uint64_t interval_ns)
{
	int64_t correction;
	uint64_t size;

	measure_rate(discipline, loop, &now);
	if (now.ns - loop->newer.ns > BASELINE_NS) {
		loop->older = loop->newer;
		loop->newer = (struct vdso_moment){ now.cycles, now.ns, loop->bracket_ns };
	}
	size = scale(magnitude(loop->error_ns), VDSO_NSEC_PER_SEC / 2, interval_ns);
	correction = size > STEER_PPB_MAX ? STEER_PPB_MAX : (int64_t)size;
	loop->drift_ppb += (uint32_t)correction + drift_seen_ppb(loop, interval_ns);
	return limited(loop->rate_ppb + (loop->error_ns > 0 ? -correction : correction));
}

static void take_offsets(struct vdso_discipline *discipline, const struct observation *seen)
{
	if (narrow(&discipline->realtime, seen->realtime))
		discipline->steps_count++;
	narrow(&discipline->boottime, seen->boottime);
	vdso_writer_set_tai_offset(&discipline->writer, seen->tai_offset);
}

/*
 * Before a commit: the kernel's clocks as they were read. The wall clock is set in any case; false if one of the others would go
 * back: these then stay where they are.
 */
static _Bool set_clocks(struct vdso_discipline *discipline, const struct observation *seen)
{
	struct vdso_timestamp now = timestamp(seen->monotonic.ns);
	_Bool set = vdso_writer_set_monotonic(&discipline->writer, now,
					      timestamp(seen->monotonic.ns + boottime_offset(discipline)),
					      timestamp(raw_at_monotonic(discipline, seen))) == VDSO_WRITER_OK;

	publish_offsets(discipline, now);
	return set;
}

/* Without a counter the page has coarse clocks only: set forward to the kernel's. */
static void follow(struct vdso_discipline *discipline, const struct observation *seen)
{
	struct vdso_writer *writer = &discipline->writer;

	vdso_writer_begin(writer, writer->cycle_last);
	set_clocks(discipline, seen);
	vdso_writer_commit(writer);
}

void vdso_discipline_set_reference(struct vdso_discipline *discipline, uint64_t error_ns, uint32_t drift_ppb)
{
	discipline->reference_error_ns = error_ns;
	discipline->reference_drift_ppb = drift_ppb;
}

/* The page's error against the kernel's clock, and that clock's own. */
static void state_error(struct vdso_discipline *discipline)
{
	const struct vdso_loop *loop = &discipline->monotonic;
	uint64_t error = magnitude(loop->error_ns) + loop->bracket_ns, of_kernel = discipline->reference_error_ns;
	uint64_t drift = (uint64_t)loop->drift_ppb + discipline->reference_drift_ppb;

	error += (uint64_t)(discipline->realtime.high - discipline->realtime.low);
	if (of_kernel > UINT64_MAX - error)
		vdso_writer_set_error(&discipline->writer, VDSO_STATUS_UNKNOWN, UINT64_MAX, 0);
	else
		vdso_writer_set_error(&discipline->writer, VDSO_STATUS_SYNCHRONISED, of_kernel + error,
				      drift > UINT32_MAX ? UINT32_MAX : (uint32_t)drift);
}

/*
 * The latest time of this clock that readers may have been given: beyond the page's lifetime they get none. They went by the one
 * that is published; the writer's own is already that of the next commit, and shorter if the interval is now.
 */
static void note_shown(struct vdso_discipline *discipline, struct vdso_loop *loop, uint64_t cycles)
{
	const struct vdso_writer *writer = &discipline->writer;
	uint64_t delta = cycles - writer->cycle_last, lifetime = writer->page->limits.lifetime_cycles;

	if ((int64_t)delta < 0)
		delta = 0;
	if (lifetime && delta > lifetime)
		delta = lifetime;
	loop->shown_ns = page_ns(discipline, writer->cycle_last + delta, loop->clock);
}

/* The rate was measured across the jump, so it is measured from here on. */
static void restart_loop(struct vdso_loop *loop, const struct reading *now)
{
	loop->error_ns = 0;
	loop->older = (struct vdso_moment){ now->cycles, now->ns, loop->bracket_ns };
	loop->newer = loop->older;
}

/*
 * Ticks a second since the loop's older moment; 0 if the counter stood still, was set back, or jumped so far that they need more
 * than 64 bits.
 */
static uint64_t measured_hz(const struct vdso_loop *loop, const struct reading *now)
{
	uint64_t cycles = now->cycles - loop->older.cycles;
	int64_t ns = now->ns - loop->older.ns;

	if (ns <= 0 || (int64_t)cycles <= 0 || vdso_multiply_high(cycles, VDSO_NSEC_PER_SEC) >= (uint64_t)ns)
		return 0;
	return scale(cycles, VDSO_NSEC_PER_SEC, (uint64_t)ns);
}

/*
 * Whether the counter has run at the known frequency since the raw clock's older moment, to a percent and as far as that can be
 * measured. A counter that stood still, was set back or jumped far says nothing of it.
 */
static _Bool frequency_holds(const struct vdso_discipline *discipline, const struct reading *raw)
{
	const struct vdso_loop *loop = &discipline->raw;
	uint64_t hz = measured_hz(loop, raw), known = discipline->counter.frequency_hz, open_ns;

	if (hz == 0 || hz > COUNTER_HZ_MAX)
		return 1;
	open_ns = loop->older.bracket_ns + bracket_of(discipline, raw, known);
	return magnitude((int64_t)(hz - known)) <= known / 100 + scale(hz, open_ns, (uint64_t)(raw->ns - loop->older.ns));
}

/*
 * After a jump the last rates are right. After two in succession it was none: the clocks' rates are others, or even the counter's
 * frequency, as on another machine. False if that is so; the new one counts when the next update has found it again.
 */
static _Bool measure_anew(struct vdso_discipline *discipline, const struct observation *seen)
{
	struct vdso_loop *monotonic = &discipline->monotonic, *raw = &discipline->raw;
	_Bool known = frequency_holds(discipline, &seen->raw);

	if (!known) {
		discipline->counter.frequency_hz = measured_hz(raw, &seen->raw);
		monotonic->bracket_ns = bracket_of(discipline, &seen->monotonic, discipline->counter.frequency_hz);
		raw->bracket_ns = bracket_of(discipline, &seen->raw, discipline->counter.frequency_hz);
	}
	measure_rate(discipline, monotonic, &seen->monotonic);
	measure_rate(discipline, raw, &seen->raw);
	return known;
}

/*
 * The counter and the kernel's clocks no longer tell the same: a sleep in which only the counter ran on, a counter that was set
 * back, another machine. The page goes on from the kernel's clocks. If readers may have been given a later time, or the counter's
 * frequency is not known, the page has no counter until the kernel has caught up and it is: no clock goes back, and readers ask
 * the kernel.
 */
static void set_anew(struct vdso_discipline *discipline, const struct observation *seen)
{
	struct vdso_loop *monotonic = &discipline->monotonic, *raw = &discipline->raw;
	struct vdso_writer *writer = &discipline->writer;
	_Bool known = !discipline->was_set || measure_anew(discipline, seen);
	int64_t raw_ns = raw_at_monotonic(discipline, seen);
	struct vdso_source source = discipline->counter;
	uint64_t cycles;

	discipline->was_set = 1;
	restart_loop(monotonic, &seen->monotonic);
	restart_loop(raw, &seen->raw);
	state_error(discipline);
	vdso_writer_open(writer);
	cycles = vdso_counter();
	if (writer->source.mode != VDSO_CLOCKMODE_NONE) {
		note_shown(discipline, monotonic, cycles);
		note_shown(discipline, raw, cycles);
	}
	if (!set_clocks(discipline, seen) || !known || seen->monotonic.ns < monotonic->shown_ns || raw_ns < raw->shown_ns)
		source.mode = VDSO_CLOCKMODE_NONE;
	vdso_writer_switch(writer, &source, seen->monotonic.cycles);
	vdso_writer_slew(writer, monotonic->rate_ppb);
	vdso_writer_trim(writer, raw->rate_ppb);
	vdso_writer_commit(writer);
}

_Bool vdso_discipline_update(struct vdso_discipline *discipline, uint64_t interval_ns)
{
	struct vdso_writer *writer = &discipline->writer;
	struct observation seen;
	int64_t monotonic_ppb, raw_ppb;
	_Bool in_step;

	if (!observe(discipline, &seen))
		return 0;
	discipline->updates_count++;
	take_offsets(discipline, &seen);
	if (discipline->counter.mode == VDSO_CLOCKMODE_NONE) {
		follow(discipline, &seen);
		return 1;
	}
	vdso_writer_set_lifetime(writer, interval_ns > LIFETIME_NS_MIN / 4 ? 4 * interval_ns : LIFETIME_NS_MIN);
	in_step = compare(discipline, &discipline->monotonic, &seen.monotonic);
	in_step &= compare(discipline, &discipline->raw, &seen.raw);
	in_step &= frequency_holds(discipline, &seen.raw);
	if (!in_step || writer->source.mode == VDSO_CLOCKMODE_NONE) {
		set_anew(discipline, &seen);
		return 1;
	}
	discipline->was_set = 0;
	monotonic_ppb = steer(discipline, &discipline->monotonic, seen.monotonic, interval_ns);
	raw_ppb = steer(discipline, &discipline->raw, seen.raw, interval_ns);
	state_error(discipline);
	/* From here on readers wait, so everything that takes long has been done before. */
	vdso_writer_open(writer);
	vdso_writer_begin(writer, vdso_counter());
	vdso_writer_slew(writer, monotonic_ppb);
	vdso_writer_trim(writer, raw_ppb);
	publish_offsets(discipline, vdso_writer_time(writer, writer->cycle_last, VDSO_CLOCK_MONOTONIC));
	vdso_writer_commit(writer);
	return 1;
}

void vdso_discipline_stop(struct vdso_discipline *discipline)
{
	struct vdso_writer *writer = &discipline->writer;
	struct vdso_source none = writer->source;

	none.mode = VDSO_CLOCKMODE_NONE;
	vdso_writer_open(writer);
	vdso_writer_begin(writer, counter(discipline));
	/* Never refused: it is the source that the page has. */
	vdso_writer_switch(writer, &none, writer->cycle_last);
	vdso_writer_set_error(writer, VDSO_STATUS_UNKNOWN, UINT64_MAX, 0);
	vdso_writer_commit(writer);
	discipline->counter = none;
}

static void start_loop(struct vdso_discipline *discipline, struct vdso_loop *loop, const struct reading *first)
{
	loop->older = (struct vdso_moment){ first->cycles, first->ns,
					    bracket_of(discipline, first, discipline->counter.frequency_hz) };
	loop->newer = loop->older;
}

/*
 * Reads until both clocks have run long enough for their rates, and starts the two loops. The frequency is 0 if the counter
 * stands still. False if the kernel's clocks cannot be read, or stand still.
 */
static _Bool measure_frequency(struct vdso_discipline *discipline)
{
	struct reading first, raw, monotonic;
	uint64_t frequency_hz;
	int left = MEASURE_READINGS_MAX;

	if (!read_kernel(discipline, VDSO_CLOCK_MONOTONIC_RAW, &first) ||
	    !read_kernel(discipline, VDSO_CLOCK_MONOTONIC, &monotonic))
		return 0;
	do
		if (!read_kernel(discipline, VDSO_CLOCK_MONOTONIC_RAW, &raw) || --left == 0)
			return 0;
	while (raw.ns - first.ns < MEASURE_NS);
	frequency_hz = scale(raw.cycles - first.cycles, VDSO_NSEC_PER_SEC, (uint64_t)(raw.ns - first.ns));
	discipline->counter.frequency_hz = frequency_hz;
	if (frequency_hz == 0)
		return 1;
	start_loop(discipline, &discipline->raw, &first);
	start_loop(discipline, &discipline->monotonic, &monotonic);
	return 1;
}

/* NO_COUNTER: a counter that stands still, or at a rate that no page can hold; the page is untouched. */
static enum vdso_discipline_result start_clocks(struct vdso_discipline *discipline, struct vdso_page *page)
{
	struct vdso_writer *writer = &discipline->writer;
	uint32_t resolution = kernel_resolution(VDSO_CLOCK_MONOTONIC);
	struct observation seen;
	struct vdso_timestamp realtime;

	if (!observe(discipline, &seen))
		return VDSO_DISCIPLINE_NO_CLOCKS;
	realtime = timestamp(seen.monotonic.ns + middle(seen.realtime));
	/* Prepared only: a page that is started anew is read meanwhile, and no clock of it may be seen at 0. */
	if (vdso_writer_prepare(writer, page, &discipline->counter, seen.monotonic.cycles, realtime,
				kernel_resolution(VDSO_CLOCK_MONOTONIC_COARSE)) != VDSO_WRITER_OK)
		return VDSO_DISCIPLINE_NO_COUNTER;
	writer->hrtimer_res = resolution;
	take_offsets(discipline, &seen);
	follow(discipline, &seen);
	return VDSO_DISCIPLINE_OK;
}

enum vdso_discipline_result vdso_discipline_start(struct vdso_discipline *discipline, struct vdso_page *page)
{
	const struct vdso_source none = { VDSO_CLOCKMODE_NONE, 0, UINT64_MAX, VDSO_NSEC_PER_SEC };
	enum vdso_discipline_result result;

	*discipline = (struct vdso_discipline){
		.counter = none,
		.monotonic = { .clock = VDSO_CLOCK_MONOTONIC },
		.raw = { .clock = VDSO_CLOCK_MONOTONIC_RAW },
		.realtime = { INT64_MIN, INT64_MAX },
		.boottime = { INT64_MIN, INT64_MAX },
		.reference_error_ns = UINT64_MAX,
	};
	if (vdso_counter_usable()) {
		discipline->counter.mode = VDSO_CLOCKMODE_ARCH;
		discipline->counter_step = measure_step();
		if (!measure_frequency(discipline))
			return VDSO_DISCIPLINE_NO_CLOCKS;
		result = discipline->counter.frequency_hz ? start_clocks(discipline, page) : VDSO_DISCIPLINE_NO_COUNTER;
		if (result == VDSO_DISCIPLINE_OK)
			vdso_discipline_update(discipline, MEASURE_NS);
		if (result != VDSO_DISCIPLINE_NO_COUNTER)
			return result;
		discipline->counter = none;
	}
	result = start_clocks(discipline, page);
	return result == VDSO_DISCIPLINE_OK ? VDSO_DISCIPLINE_NO_COUNTER : result;
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
