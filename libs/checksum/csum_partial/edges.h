/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What several scalar variants of csum_partial share: bytes before the first aligned 8-byte word, bytes after
 * the last, and the folding of 64 bits to the result. Nothing outside the buffer is read.
 *
 * Sums are taken as if the buffer began at an even address. If it begins at an odd one, each byte counts in
 * the other half of its 16-bit word, and exchanging the halves of the folded sum at the end puts that right
 * (RFC 1071, 2(B)): `odd` says so.
 */
#ifndef CSUM_PARTIAL_EDGES_H
#define CSUM_PARTIAL_EDGES_H

#include "ones_complement.h"

typedef uint64_t __attribute__((may_alias)) csum_word64;
typedef uint32_t __attribute__((may_alias)) csum_word32;
typedef uint16_t __attribute__((may_alias)) csum_word16;

/* The byte at an odd address is the second of its pair. */
static inline uint32_t csum_byte_at_odd(unsigned char byte)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? byte : (uint32_t)byte << 8;
}

/*
 * Sums the bytes before the first multiple of eight, or fewer if the buffer ends earlier. Advances `*at` and
 * `*len`. The sum is below 2^33.
 */
static inline uint64_t csum_head(const unsigned char **at, int *len)
{
	uint64_t sum = 0;

	if (((uintptr_t)*at & 1) != 0 && *len >= 1) {
		sum += csum_byte_at_odd(**at);
		*at += 1;
		*len -= 1;
	}
	if (((uintptr_t)*at & 2) != 0 && *len >= 2) {
		sum += *(const csum_word16 *)*at;
		*at += 2;
		*len -= 2;
	}
	if (((uintptr_t)*at & 4) != 0 && *len >= 4) {
		sum += *(const csum_word32 *)*at;
		*at += 4;
		*len -= 4;
	}
	return sum;
}

/*
 * Sums the last `len & 7` bytes, from an even address that is aligned for the pieces: `at` is a multiple of
 * eight, or csum_head has stopped before one because less was left than its next step needed. The sum is
 * below 2^33.
 */
static inline uint64_t csum_aligned_tail(const unsigned char *at, int len)
{
	uint64_t sum = 0;

	if (len & 4) {
		/* If csum_head stopped early, these four bytes may lie across a multiple of four. */
		sum += (uint64_t)((const csum_word16 *)at)[0] + ((const csum_word16 *)at)[1];
		at += 4;
	}
	if (len & 2) {
		sum += *(const csum_word16 *)at;
		at += 2;
	}
	if (len & 1)
		sum += csum_odd_byte(*at);
	return sum;
}

/* The result: folded, its halves exchanged if the start was odd, and added to the caller's sum. */
static inline uint32_t csum_finish(uint64_t total, int odd, uint32_t sum)
{
	uint32_t narrow = csum_narrow(total);
	uint16_t folded = (uint16_t)((narrow + (narrow >> 16 | narrow << 16)) >> 16);

	if (odd)
		folded = (uint16_t)(folded << 8 | folded >> 8);
	sum += folded;
	return sum + (sum < folded);
}

#endif
