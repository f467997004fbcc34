/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What both benches measure with: the clock, an order drawn anew for each sample, medians, and the interval of a ratio of
 * medians.
 */
#ifndef EBPF_BENCH_MEASURE_H
#define EBPF_BENCH_MEASURE_H

#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RESAMPLES 2000
#define SAMPLES_MAX 1000

static inline void die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(2);
}

static inline double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* As bytecode of a little-endian machine; returns its bytes. */
static inline size_t encode(const struct bench_slot *slots, size_t count, uint8_t *bytes)
{
	size_t i, k;

	for (i = 0; i < count; i++) {
		uint8_t *slot = bytes + i * BPF_SLOT_BYTES;

		slot[0] = slots[i].opcode;
		slot[1] = (uint8_t)(slots[i].src << 4 | slots[i].dst);
		slot[2] = (uint8_t)slots[i].offset;
		slot[3] = (uint8_t)((uint16_t)slots[i].offset >> 8);
		for (k = 0; k < 4; k++)
			slot[4 + k] = (uint8_t)((uint32_t)slots[i].imm >> 8 * k);
	}
	return count * BPF_SLOT_BYTES;
}

static inline uint32_t random_below(uint32_t limit)
{
	static uint64_t state = 20261120;

	state ^= state << 13; /* xorshift64 (Marsaglia 2003) */
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) * limit >> 32);
}

/* 0 to count - 1 in an order drawn anew. */
static inline void draw_order(unsigned *order, unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		order[i] = i;
	for (i = count - 1; i > 0; i--) {
		unsigned other = random_below(i + 1), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
}

static inline int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline double median(const double *values, unsigned count)
{
	static double sorted[SAMPLES_MAX];

	memcpy(sorted, values, count * sizeof(*values));
	qsort(sorted, count, sizeof(*sorted), compare);
	return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* The middle 95 % of the ratio of medians over resampled pairs of samples. */
static inline void interval(const double *ours, const double *theirs, unsigned count, double *low, double *high)
{
	static double ratios[RESAMPLES], a[SAMPLES_MAX], b[SAMPLES_MAX];
	unsigned r, i;

	for (r = 0; r < RESAMPLES; r++) {
		for (i = 0; i < count; i++) {
			unsigned drawn = random_below(count);

			a[i] = ours[drawn];
			b[i] = theirs[drawn];
		}
		ratios[r] = median(a, count) / median(b, count);
	}
	qsort(ratios, RESAMPLES, sizeof(*ratios), compare);
	*low = ratios[RESAMPLES * 25 / 1000];
	*high = ratios[RESAMPLES * 975 / 1000];
}

/* A ratio is only called different from 1 if its interval is. */
static inline void print_ratio(const double *ours, const double *theirs, unsigned count)
{
	double low, high;

	interval(ours, theirs, count, &low, &high);
	printf("%.3f of ubpf's time [%.3f, %.3f] %s\n", median(ours, count) / median(theirs, count), low, high,
	       high < 1 ? "faster" :
	       low > 1	? "slower" :
			  "no difference shown");
}

#endif
