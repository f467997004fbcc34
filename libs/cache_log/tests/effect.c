// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * effect: does a restore bring the lines that the table names, and no others? This runs natively, for QEMU has no caches.
 *
 * Lines are flushed from all caches; a table that names every second of them is restored; each line is then timed. Named lines
 * have to come at least twice as fast as the others; each line is in a page of its own, out of reach of prefetchers. This is
 * repeated until it is seen, since a shared machine may evict in between what was brought in; a prefetch of the wrong lines
 * never passes. Where user code cannot flush a line, the test says so and is skipped.
 */
#include "cache_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 256, MIDDLE = LINES / 2, TRIES = 200, STRIDE = 4096 + 5 * 64 };

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

#ifdef __x86_64__
static void push_out(const void *line)
{
	__asm__ volatile("clflush (%0)" : : "r"(line) : "memory");
}

static uint64_t time_of(const char *line)
{
	uint64_t before, after;
	char byte;

	__asm__ volatile("mfence; lfence" : : : "memory");
	before = cache_log_ticks();
	__asm__ volatile("lfence; movb (%1), %0; lfence" : "=q"(byte) : "r"(line) : "memory");
	after = cache_log_ticks();
	return after - before;
}

/* The ratio of the medians: lines that are not named over lines that are. */
static double ratio(char *lines, struct cache_log_table *table, struct cache_log_statistics *statistics)
{
	uint64_t ticks[2][LINES];

	for (size_t i = 0; i < 2 * LINES; i++)
		push_out(lines + i * STRIDE);
	__asm__ volatile("mfence" : : : "memory");
	if (cache_log_restore(table, 1, 0, CACHE_LOG_UNLIMITED, statistics) != CACHE_LOG_OK)
		exit(2);
	for (volatile int wait = 0; wait < 20000; wait++)
		;
	/* In an order that no hardware prefetcher follows. */
	for (size_t i = 0; i < 2 * LINES; i++) {
		size_t line = i * 197 % (2 * LINES);

		ticks[line % 2][line / 2] = time_of(lines + line * STRIDE);
	}
	for (int half = 0; half < 2; half++)
		qsort(ticks[half], LINES, 8, ascending);
	return (double)ticks[1][MIDDLE] / (double)(ticks[0][MIDDLE] + 1);
}

int main(void)
{
	static uint64_t memory[CACHE_LOG_TABLE_BYTES(LINES) / 8 + 8], seen[4 * LINES], notes[LINES];
	struct cache_log_table *table = (struct cache_log_table *)memory;
	struct cache_log_statistics statistics = { 0 };
	char *lines = aligned_alloc(4096, 2 * LINES * STRIDE);
	double best = 0;

	memset(lines, 1, 2 * LINES * STRIDE);
	for (uintptr_t i = 0; i < LINES; i++)
		notes[i] = cache_log_entry((uintptr_t)lines + 2 * i * STRIDE, 1);
	if (cache_log_table_create(memory, sizeof(memory), 1, 0) != CACHE_LOG_OK)
		return 2;
	cache_log_table_fill(table, notes, LINES, CACHE_LOG_OLDEST_FIRST, false, seen, 4 * LINES);
	for (int i = 0; i < TRIES && best < 2; i++) {
		double now = ratio(lines, table, &statistics);

		best = now > best ? now : best;
	}
	printf("a line that was not named takes %.1f times as long as one that was restored\n", best);
	return best < 2;
}
#else
int main(void)
{
	(void)ascending;
	printf("skipped: no instruction for user code is known here that pushes a line out\n");
	return 77;
}
#endif
