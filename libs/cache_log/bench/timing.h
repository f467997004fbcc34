/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the benches share: memory in large pages, random numbers, ticks against the clock, one processor. */
#ifndef CACHE_LOG_TIMING_H
#define CACHE_LOG_TIMING_H

#include "cache_log.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static uint64_t random_state;

static inline uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Maps memory in large pages, if the system gives them: small ones lie scattered in a cache that physical addresses index. */
static inline void *map(size_t bytes)
{
	size_t large = (size_t)2 << 20;
	char *memory;

	bytes = (bytes + large - 1) & ~(large - 1);
	memory = mmap(NULL, bytes + large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		fprintf(stderr, "no memory for %zu bytes\n", bytes);
		exit(2);
	}
	memory = (char *)(((uintptr_t)memory + large - 1) & ~(uintptr_t)(large - 1));
	madvise(memory, bytes, MADV_HUGEPAGE);
	memset(memory, 1, bytes);
	return memory;
}

/* One cycle through all lines of memory in random order, each holding the address of the next; returns one of them. */
static inline void **make_cycle(char *memory, size_t lines)
{
	uint32_t *order = malloc(lines * sizeof(*order));

	if (!order)
		exit(2);
	for (size_t i = 0; i < lines; i++)
		order[i] = (uint32_t)i;
	for (size_t i = lines - 1; i > 0; i--) {
		size_t other = random_word() % (i + 1);
		uint32_t line = order[i];

		order[i] = order[other];
		order[other] = line;
	}
	for (size_t i = 0; i < lines; i++)
		*(void **)(memory + order[i] * CACHE_LOG_LINE) = memory + order[(i + 1) % lines] * CACHE_LOG_LINE;
	free(order);
	return (void **)memory;
}

static inline double nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline double ticks_per_us(void)
{
	double start = nanoseconds();
	uint64_t ticks = cache_log_ticks();

	while (nanoseconds() - start < 2e7)
		;
	return (double)(cache_log_ticks() - ticks) / (nanoseconds() - start) * 1000;
}

static inline void stay_here(void)
{
	cpu_set_t allowed;
	int here = sched_getcpu();

	CPU_ZERO(&allowed);
	CPU_SET((size_t)(here < 0 ? 0 : here), &allowed);
	sched_setaffinity(0, sizeof(allowed), &allowed);
}

static inline uint64_t whole_number(const char *word, const char *what, uint64_t min, uint64_t max)
{
	char *end;
	unsigned long long value = strtoull(word, &end, 10);

	if (*word < '0' || *word > '9' || *end || value < min || value > max) {
		fprintf(stderr, "%s is '%s', not a whole number from %lu to %lu\n", what, word, (unsigned long)min,
			(unsigned long)max);
		exit(2);
	}
	return value;
}

#endif
