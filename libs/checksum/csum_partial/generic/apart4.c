/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The carries apart as in apart.c, in four sums with eight words an iteration: no sum depends on another, so the
 * bound is the number of additions and comparisons that a core issues in a cycle (three of them a word), no
 * longer their latency.
 *
 * assay-about: carries counted apart, four sums, eight words a turn
 * assay-requires: 64-bit
 * assay-cflags: -fno-unroll-loops -fno-tree-vectorize -fno-tree-slp-vectorize
 */
#include "checksum.h"
#include "../edges.h"

struct lane {
	uint64_t sum, carries;
};

static inline void add(struct lane *lane, uint64_t word)
{
	lane->sum += word;
	lane->carries += lane->sum < word;
}

static inline uint64_t close(struct lane lane)
{
	return csum_add64(lane.sum, lane.carries);
}

static uint64_t sum_64_byte_blocks(const csum_word64 *at, const csum_word64 *end, uint64_t start)
{
	struct lane a = { start, 0 }, b = { 0, 0 }, c = { 0, 0 }, d = { 0, 0 };

	do {
		add(&a, at[0]);
		add(&b, at[1]);
		add(&c, at[2]);
		add(&d, at[3]);
		add(&a, at[4]);
		add(&b, at[5]);
		add(&c, at[6]);
		add(&d, at[7]);
		at += 8;
	} while (at != end);
	return csum_add64(csum_add64(close(a), close(b)), csum_add64(close(c), close(d)));
}

/* Up to seven words, two at a time. */
static uint64_t sum_words(const csum_word64 *at, unsigned int words, uint64_t start)
{
	struct lane a = { start, 0 }, b = { 0, 0 };

	if (words & 4) {
		add(&a, at[0]);
		add(&b, at[1]);
		add(&a, at[2]);
		add(&b, at[3]);
		at += 4;
	}
	if (words & 2) {
		add(&a, at[0]);
		add(&b, at[1]);
		at += 2;
	}
	if (words & 1)
		add(&a, at[0]);
	return csum_add64(close(a), close(b));
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *at = buf;
	uint64_t total;

	if (len <= 0)
		return sum;
	total = csum_head(&at, &len);
	if (len >= 64) {
		const unsigned char *end = at + (len & ~63);

		total = sum_64_byte_blocks((const csum_word64 *)at, (const csum_word64 *)end, total);
		at = end;
		len &= 63;
	}
	if (len >= 8) {
		total = sum_words((const csum_word64 *)at, (unsigned int)len / 8, total);
		at += len & ~7;
	}
	total = csum_add64(total, csum_aligned_tail(at, len));
	return csum_finish(total, (uintptr_t)buf & 1, sum);
}
