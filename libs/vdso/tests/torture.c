// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * torture: a writer that commits every few microseconds, with all that a writer does, and readers in processes of their own
 * that look for a torn or a backward time.
 *
 * A torn read is found by arithmetic: every published state obeys a rule that a mixture of two does not. The writer keeps
 * realtime = monotonic + K, boottime = monotonic + K2 and TAI = realtime + an offset, all constant but for steps; so a reader that
 * brackets one clock between two readings of another knows to the nanosecond where it has to lie. On top of that the monotonic
 * clocks may not go back, and each time read has to be within what the counter allows.
 *
 * A reader that finds the sequence odd for too long asks the kernel, whose clocks are far from this page's (its monotonic ones
 * show less than 15 years, its wall clock more than 30): such a reading is counted as a fallback, and the next one starts anew.
 *
 * Phases, one after the other: slews; switches between shifts of the same counter, one commit right after the other, so that
 * a reader that does not check the sequence twice sees the stores of a commit; the sequence count about to wrap; slews and
 * switches. At last the sequence is held odd: readers fall back.
 *
 * The writer gets priority over everything that is not real-time, if that is allowed, and does not sleep between most commits,
 * because a timer wakes some fifty microseconds late on a virtual machine. Every few commits it does sleep, and catches up
 * afterwards, so that the readers on its processor run, too, and are interrupted by it thousands of times a second, wherever
 * they are. The intervals that it reached are reported.
 *
 * The page's clocks run at a rate of their own (2 GHz, or 62.5 MHz for a slower counter), so that mult is exact at every
 * shift, and a switch does not change the rate. No reader here depends on the true time.
 */
#include "vdsotest.h"
#include "vdso_read.h"

enum {
	READERS = 3,
	COMMITS_BETWEEN_SLEEPS = 20,
	OVERDUE_MAX = 100,
	PHASES = 4,
	TURNS_MAX = 30,
	TAI_OFFSET = 37,
	START_REALTIME = 1000000,
	START_MONOTONIC = 500000000,
	START_BOOTTIME = 600000000
};

/* A reader's report to the parent, in memory that both share; one for each reader. */
struct report {
	uint64_t reads, torn, backward, fallbacks;
	int64_t worst_ns;
};

struct shared {
	volatile uint32_t stop;
	struct report reports[READERS];
	uint64_t commits, phases[PHASES];
};

/* Times between commits, except in the phase in which they come one right after the other. */
enum { INTERVAL_UNIT_NS = 250, INTERVALS = 4096 };
static struct {
	uint64_t last, sum_ns, count;
	uint64_t of[INTERVALS]; /* by their length in units; the last: longer */
} intervals;

static void note_interval(uint64_t now, unsigned int phase)
{
	uint64_t took = now - intervals.last, units = took / INTERVAL_UNIT_NS;

	if (intervals.last && phase != 1) {
		intervals.sum_ns += took;
		intervals.count++;
		intervals.of[units < INTERVALS ? units : INTERVALS - 1]++;
	}
	intervals.last = phase == 1 ? 0 : now;
}

/* The interval that so many percent do not exceed. */
static uint64_t interval_percentile_ns(unsigned int percent)
{
	uint64_t seen = 0;

	for (unsigned int units = 0; units < INTERVALS; units++) {
		seen += intervals.of[units];
		if (seen * 100 >= intervals.count * percent)
			return (units + 1) * INTERVAL_UNIT_NS;
	}
	return 0;
}

enum reading { OURS, FALLBACK, BROKEN };

static enum reading read_clock(const struct machine *machine, int32_t clock, int64_t *ns)
{
	struct bare_time time;
	_Bool wall = clock == VDSO_CLOCK_REALTIME || clock == VDSO_CLOCK_TAI;

	if (machine_clock_gettime(&machine->calls, clock, &time) != 0 || time.nsec < 0 || time.nsec >= VDSO_NSEC_PER_SEC)
		return BROKEN;
	*ns = time.sec * VDSO_NSEC_PER_SEC + time.nsec;
	if (wall)
		return time.sec > 1000000000 ? FALLBACK : OURS;
	return time.sec < START_MONOTONIC ? FALLBACK : OURS;
}

/* The worse of several. */
static enum reading all_of(enum reading a, enum reading b, enum reading c)
{
	if (a == BROKEN || b == BROKEN || c == BROKEN)
		return BROKEN;
	return a == OURS && b == OURS && c == OURS ? OURS : FALLBACK;
}

/* Whether the times read can be checked; counts a torn read or a fallback if not. */
static _Bool usable(struct report *report, enum reading reading)
{
	report->torn += reading == BROKEN;
	report->fallbacks += reading == FALLBACK;
	return reading == OURS;
}

static void note_backward(struct report *report, int64_t by)
{
	report->backward++;
	if (by > report->worst_ns)
		report->worst_ns = by;
}

/* One clock between two readings of the monotonic one, from which it is `offset` away. */
static void read_between(const struct machine *machine, struct report *report, int32_t clock, int64_t offset, int64_t *last,
			 int64_t *last_monotonic)
{
	int64_t before, here, after;
	enum reading first = read_clock(machine, VDSO_CLOCK_MONOTONIC, &before), second = read_clock(machine, clock, &here);
	enum reading third = read_clock(machine, VDSO_CLOCK_MONOTONIC, &after);

	report->reads += 3;
	if (!usable(report, all_of(first, second, third)))
		return;
	if (after < before)
		note_backward(report, before - after);
	if (before < *last_monotonic)
		note_backward(report, *last_monotonic - before);
	*last_monotonic = after;
	if (here - offset < before || here - offset > after) {
		if (report->torn++ < 3)
			assay_print("torn: clock %d is %lld ns off the monotonic clock, which went from %lld by %lld ns\n",
				    clock, (long long)(here - offset - before), (long long)before, (long long)(after - before));
		return;
	}
	if (here < *last)
		note_backward(report, *last - here);
	*last = here;
}

static void read_coarse(const struct machine *machine, struct report *report, int64_t *last)
{
	int64_t coarse, fine;
	enum reading first = read_clock(machine, VDSO_CLOCK_MONOTONIC_COARSE, &coarse);
	enum reading second = read_clock(machine, VDSO_CLOCK_MONOTONIC, &fine);

	report->reads += 2;
	if (!usable(report, all_of(first, second, OURS)))
		return;
	if (coarse > fine)
		report->torn++;
	if (coarse < *last)
		note_backward(report, *last - coarse);
	*last = coarse;
}

static _Noreturn void reader(const struct machine *machine, struct shared *shared, struct report *report)
{
	int64_t last_realtime = 0, last_boottime = 0, last_tai = 0, last_raw = 0, last_coarse = 0, last_monotonic = 0, raw;
	const int64_t second = VDSO_NSEC_PER_SEC, to_realtime = (START_REALTIME - START_MONOTONIC) * second;

	while (!shared->stop) {
		read_between(machine, report, VDSO_CLOCK_REALTIME, to_realtime, &last_realtime, &last_monotonic);
		read_between(machine, report, VDSO_CLOCK_BOOTTIME, (START_BOOTTIME - START_MONOTONIC) * second, &last_boottime,
			     &last_monotonic);
		read_between(machine, report, VDSO_CLOCK_TAI, to_realtime + TAI_OFFSET * second, &last_tai, &last_monotonic);
		read_coarse(machine, report, &last_coarse);
		report->reads++;
		if (!usable(report, read_clock(machine, VDSO_CLOCK_MONOTONIC_RAW, &raw)))
			continue;
		if (raw < last_raw)
			note_backward(report, last_raw - raw);
		last_raw = raw;
	}
	assay_exit(0);
}

/* A held sequence: readers give up after VDSO_TRIES_MAX and must then return the kernel's time, in bounded time. */
static void hold_odd(struct machine *machine)
{
	struct vdso_page *page = machine->page;
	struct bare_time before, here, after;
	uint32_t seq[2] = { page->data[0].seq, page->data[1].seq };

	__atomic_store_n(&page->data[0].seq, seq[0] | 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&page->data[1].seq, seq[1] | 1, __ATOMIC_SEQ_CST);
	for (unsigned int i = 0; i < 7; i++) {
		int32_t clock = machine_clocks[i];

		bare_clock_gettime(clock, &before);
		bare_expect(machine_clock_gettime(&machine->calls, clock, &here) == 0, "held odd: %s fails",
			    machine_clock_name(clock));
		bare_clock_gettime(clock, &after);
		bare_expect((here.sec > before.sec || (here.sec == before.sec && here.nsec >= before.nsec)) &&
				    (here.sec < after.sec || (here.sec == after.sec && here.nsec <= after.nsec)),
			    "held odd: %s is not the kernel's", machine_clock_name(clock));
	}
	__atomic_store_n(&page->data[0].seq, seq[0], __ATOMIC_SEQ_CST);
	__atomic_store_n(&page->data[1].seq, seq[1], __ATOMIC_SEQ_CST);
}

static void switch_shift(struct vdso_writer *writer, uint64_t cycles)
{
	struct vdso_source source = writer->source;

	source.shift = VDSO_FIXED_SHIFT - assay_random_below(4);
	if (vdso_writer_switch(writer, &source, cycles) != VDSO_WRITER_OK)
		bare_expect(0, "torture: a switch to shift %u is refused", source.shift);
}

static void one_commit(struct vdso_writer *writer, unsigned int phase)
{
	uint64_t cycles;

	/* Phase 1 keeps the rate, so there the writer may be preempted before it marks the page. */
	if (phase != 1)
		vdso_writer_open(writer);
	cycles = vdso_counter();
	vdso_writer_begin(writer, cycles);
	if (phase == 0 || phase == 3)
		vdso_writer_slew(writer, (int64_t)assay_random_below(1000000) - 500000);
	if (phase == 1 || phase == 3)
		switch_shift(writer, cycles);
	vdso_writer_commit(writer);
}

/* One turn through the phases. */
static void write_turn(struct machine *machine, struct shared *shared, uint64_t milliseconds, uint64_t update_ns, _Bool first)
{
	struct vdso_writer *writer = &machine->discipline.writer;
	uint64_t start = bare_nanoseconds(), end = start + milliseconds * 1000000, next = start, now;
	unsigned int awake = 0;

	while ((now = bare_nanoseconds()) < end) {
		unsigned int phase = (unsigned int)((now - start) / (milliseconds * 250000 + 1));

		if (now < next && phase != 1)
			continue;
		/* Overdue commits are made up for, unless there are too many. */
		next = now > next + OVERDUE_MAX * update_ns ? now : next + update_ns;
		note_interval(now, phase);
		/*
		 * Three commits before the count wraps, and once only: a count that comes again after some commits would
		 * cause torn reads that are the test's own fault.
		 */
		if (phase == 2 && shared->phases[2] == 0)
			writer->seq = 0xfffffffa;
		for (int again = phase == 1 ? 100 : 1; again; again--) {
			one_commit(writer, phase);
			shared->commits++;
			shared->phases[phase]++;
		}
		if (first && ++awake % COMMITS_BETWEEN_SLEEPS == 0)
			bare_sleep(1);
	}
}

static struct report sum_of(const struct shared *shared)
{
	struct report total = { 0, 0, 0, 0, 0 };

	for (int i = 0; i < READERS; i++) {
		const volatile struct report *one = &shared->reports[i];

		total.reads += one->reads;
		total.torn += one->torn;
		total.backward += one->backward;
		total.fallbacks += one->fallbacks;
		if (one->worst_ns > total.worst_ns)
			total.worst_ns = one->worst_ns;
	}
	return total;
}

/* Whether there was enough to find a fault in: every phase came, and most times that were read are the page's. */
static _Bool is_enough(const struct shared *shared)
{
	struct report total = sum_of(shared);

	for (int phase = 0; phase < PHASES; phase++)
		if (shared->phases[phase] == 0)
			return 0;
	return total.reads > 1000 && total.fallbacks < total.reads / 2 && shared->commits > 10;
}

/*
 * As long as asked for, which is one turn. On a machine with more to do than processors the writer may be off its processor for
 * a whole phase, or between the two marks of a commit, where all that readers can do is to fall back. Then there are more turns,
 * until there was enough. Returns how many.
 */
static unsigned int write_until_enough(struct machine *machine, struct shared *shared, uint64_t milliseconds,
				       uint64_t update_ns)
{
	_Bool first = bare_go_first();
	unsigned int turns = 0;

	do
		write_turn(machine, shared, milliseconds, update_ns, first);
	while (++turns < TURNS_MAX && !is_enough(shared));
	return turns;
}

static _Bool start_page(struct machine *machine)
{
	struct vdso_writer *writer = &machine->discipline.writer;
	struct vdso_source source;

	/* The discipline knows the counter's frequency; then the page starts again with times of its own. */
	machine_start(machine);
	if (!machine->has_counter)
		return 0;
	source = writer->source;
	source.frequency_hz = source.frequency_hz > 1000000000 ? 2000000000 : 62500000;
	if (vdso_writer_start(writer, machine->page, &source, vdso_counter(), (struct vdso_timestamp){ START_REALTIME, 0 },
			      4000000) != VDSO_WRITER_OK)
		assay_die("the page cannot be started");
	vdso_writer_begin(writer, vdso_counter());
	vdso_writer_set_monotonic(writer, (struct vdso_timestamp){ START_MONOTONIC, 0 },
				  (struct vdso_timestamp){ START_BOOTTIME, 0 }, (struct vdso_timestamp){ START_MONOTONIC, 0 });
	vdso_writer_set_realtime(writer, (struct vdso_timestamp){ START_REALTIME, 0 });
	vdso_writer_set_tai_offset(writer, TAI_OFFSET);
	vdso_writer_commit(writer);
	return 1;
}

void test_torture(struct machine *machine, uint64_t milliseconds, uint64_t update_ns)
{
	struct shared *shared = bare_map(NULL, assay_page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	struct report total;
	long readers[READERS];
	unsigned int turns;

	if (!start_page(machine)) {
		bare_skip("torture: this processor has no counter that can be trusted");
		return;
	}
	for (int i = 0; i < READERS; i++) {
		readers[i] = bare_fork();
		if (readers[i] == 0) {
			bare_bind((unsigned int)i);
			reader(machine, shared, &shared->reports[i]);
		}
	}
	/* The first reader's. */
	bare_bind(0);
	turns = write_until_enough(machine, shared, milliseconds, update_ns);
	shared->stop = 1;
	for (int i = 0; i < READERS; i++)
		bare_expect(bare_wait(readers[i]) == 0, "torture: reader %d died", i);
	total = sum_of(shared);
	hold_odd(machine);
	assay_print("torture\t%llu\t%llu\t%llu\t%llu\t%llu\t%lld\t%llu\t%llu\t%llu\t%llu\n",
		    (unsigned long long)shared->commits, (unsigned long long)total.reads, (unsigned long long)total.torn,
		    (unsigned long long)total.backward, (unsigned long long)total.fallbacks, (long long)total.worst_ns,
		    (unsigned long long)milliseconds * turns,
		    (unsigned long long)(intervals.count ? intervals.sum_ns / intervals.count : 0),
		    (unsigned long long)interval_percentile_ns(50), (unsigned long long)interval_percentile_ns(99));
	bare_expect(total.torn == 0, "torture: %llu torn reads", (unsigned long long)total.torn);
	bare_expect(total.backward == 0, "torture: %llu backward reads, the worst by %lld ns",
		    (unsigned long long)total.backward, (long long)total.worst_ns);
	bare_expect(total.reads > 1000 && total.fallbacks < total.reads / 2 && shared->commits > 10,
		    "torture: too little was read or written: %llu reads, %llu of them answered by the kernel, %llu commits",
		    (unsigned long long)total.reads, (unsigned long long)total.fallbacks, (unsigned long long)shared->commits);
	for (int phase = 0; phase < PHASES; phase++)
		bare_expect(shared->phases[phase] > 0, "torture: phase %d did not come", phase);
}
