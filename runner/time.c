/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Timed samples. Nanoseconds are CLOCK_MONOTONIC_RAW, less what reading the clock costs; ticks are the
 * processor's constant-rate counter, which is not its clock frequency. Where the architecture file can run
 * a chain of instructions of known latency (x86-64: dependent multiplications, three cycles each on Intel
 * since Nehalem and on AMD since Zen), core cycles follow from the chain's ticks right before and after the
 * sample, so frequency changes between samples do not matter. A chain that an interrupt has lengthened would
 * make a sample look fast, so the shortest of several is taken on each side.
 */
#include "internal.h"

enum { CLOCK_MONOTONIC_RAW = 4, CHAINS = 4 };

struct time_value {
	long seconds, nanoseconds;
};

static uint64_t now_ns(void)
{
	struct time_value value = { 0, 0 };

	if (assay_syscall(ASSAY_SYS_CLOCK_GETTIME, CLOCK_MONOTONIC_RAW, (uintptr_t)&value, 0, 0, 0, 0) != 0)
		assay_die("clock_gettime failed");
	return (uint64_t)value.seconds * 1000000000u + (uint64_t)value.nanoseconds;
}

/* The smallest difference of two consecutive readings. */
static uint64_t clock_cost_ns(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 200; i++) {
		uint64_t before = now_ns();
		uint64_t cost = now_ns() - before;

		if (cost < least)
			least = cost;
	}
	return least;
}

#if ASSAY_HAS_CYCLE_CHAIN
/* The smallest difference of two consecutive readings of the counter: some two percent of a chain. */
static uint64_t reading_ticks(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 200; i++) {
		uint64_t before = assay_ticks();
		uint64_t cost = assay_ticks() - before;

		if (cost < least)
			least = cost;
	}
	return least;
}

static uint64_t chain_ticks(uint64_t cost)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < CHAINS; i++) {
		uint64_t before = assay_ticks();
		uint64_t ticks;

		assay_cycle_chain();
		ticks = assay_ticks() - before;
		if (ticks < least)
			least = ticks;
	}
	return least > cost ? least - cost : 1;
}
#endif

static void sample(uint64_t iterations, uint64_t cost_ns, uint64_t cost_ticks)
{
	uint64_t ns, ticks;

#if ASSAY_HAS_CYCLE_CHAIN
	uint64_t chains = chain_ticks(cost_ticks);
#else
	(void)cost_ticks;
#endif
	ns = now_ns();
	ticks = assay_ticks();
	assay_bench(iterations);
	ticks = assay_ticks() - ticks;
	ns = now_ns() - ns;
	ns = ns > cost_ns ? ns - cost_ns : 0;
#if ASSAY_HAS_CYCLE_CHAIN
	chains += chain_ticks(cost_ticks);
	ticks = ticks > cost_ticks ? ticks - cost_ticks : 0;
	assay_print("sample ns=%llu ticks=%llu cycles=%llu\n", (unsigned long long)ns, (unsigned long long)ticks,
		    (unsigned long long)(ticks * (2 * ASSAY_CYCLE_CHAIN_CYCLES) / chains));
#else
	assay_print("sample ns=%llu ticks=%llu\n", (unsigned long long)ns, (unsigned long long)ticks);
#endif
}

int assay_time(uint64_t iterations, uint64_t samples)
{
	uint64_t cost_ns = clock_cost_ns();
	uint64_t cost_ticks = 0;

#if ASSAY_HAS_CYCLE_CHAIN
	cost_ticks = reading_ticks();
#endif

	/* The first calls fault pages in and train predictors. */
	assay_bench(iterations);
	for (uint64_t i = 0; i < samples; i++)
		sample(iterations, cost_ns, cost_ticks);
	return EXIT_FINE;
}
