/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The form that LoongArch took over from arm64 in 6.4 (Robin Murphy, 2020), the 2023 thread's "uint128". A pair
 * of words is held as one 128-bit number; adding that number to itself with its halves exchanged leaves in
 * the upper half the sum of both words with the carry brought round. Where there is a carry flag this is two
 * instructions, elsewhere add, sltu, add. Eight words an iteration are added as a tree, so only the last step
 * depends on the previous iteration.
 *
 * Only aligned words are read. The word that the buffer begins in and the one it ends in are read whole and
 * masked, which saves all branches on the alignment; since they are aligned they cross no page and no cache
 * line. The last word is always held back by one step, for it may need the mask.
 *
 * assay-about: pairs of words as 128-bit numbers, added as a tree (the thread's uint128, merged in 6.4)
 * assay-requires: 64-bit
 * assay-reads: aligned-words
 * assay-cflags: -fno-unroll-loops -fno-tree-vectorize -fno-tree-slp-vectorize
 */
#include "checksum.h"
#include "../edges.h"

typedef unsigned __int128 uint128;

#define BIG_ENDIAN_MACHINE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* The sum of two words, with the carry brought round. */
static inline uint64_t add_pair(uint64_t a, uint64_t b)
{
	uint128 pair = (uint128)a << 64 | b;

	pair += pair >> 64 | pair << 64;
	return (uint64_t)(pair >> 64);
}

static inline uint64_t sum_64_bytes(const csum_word64 *at, uint64_t total)
{
	uint64_t first = add_pair(at[1], at[0]);
	uint64_t second = add_pair(at[3], at[2]);
	uint64_t third = add_pair(at[5], at[4]);
	uint64_t fourth = add_pair(at[7], at[6]);

	return add_pair(add_pair(add_pair(first, second), add_pair(third, fourth)), total);
}

/* A word without its first bytes in memory, 0 to 7 of them. */
static inline uint64_t without_first(uint64_t word, unsigned int bytes)
{
	unsigned int bits = bytes * 8;

	return BIG_ENDIAN_MACHINE ? word << bits >> bits : word >> bits << bits;
}

static inline uint64_t without_last(uint64_t word, unsigned int bytes)
{
	unsigned int bits = bytes * 8;

	return BIG_ENDIAN_MACHINE ? word >> bits << bits : word << bits >> bits;
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	unsigned int offset = (uintptr_t)buf & 7;
	const csum_word64 *at = (const csum_word64 *)((const unsigned char *)buf - offset);
	/* Bytes after the word that is held back; if negative, that many of its own bytes are beyond the buffer. */
	int64_t left = (int64_t)len + offset - 8;
	uint64_t total = 0, held;

	if (len <= 0)
		return sum;
	held = without_first(*at++, offset);
	for (; left > 64; left -= 64, at += 8)
		total = sum_64_bytes(at, total);
	for (; left > 8; left -= 16, at += 2) {
		total = csum_add64(total, held);
		total = csum_add64(total, at[0]);
		held = at[1];
	}
	if (left > 0) {
		total = csum_add64(total, held);
		held = *at;
		left -= 8;
	}
	total = csum_add64(total, without_last(held, (unsigned int)-left));
	return csum_finish(total, offset & 1, sum);
}
