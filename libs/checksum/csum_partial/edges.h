/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What several scalar variants of csum_partial share: bytes before the first aligned 8-byte word, bytes behind
 * the last, and the way from 64 bits to the result. Nothing outside the buffer is read.
 *
 * Sums are taken as if the buffer began at an even address. If it begins at an odd one, each byte counts in
 * the other half of its 16-bit word, and exchanging the halves of the folded sum at the end puts that right
 * (RFC 1071, 2(B)): `odd` says so.
 */
#ifndef CSUM_PARTIAL_EDGES_H
#define CSUM_PARTIAL_EDGES_H

#include <stdint.h>

typedef uint64_t __attribute__((may_alias)) csum_word64;
typedef uint32_t __attribute__((may_alias)) csum_word32;
typedef uint16_t __attribute__((may_alias)) csum_word16;

/* The byte at an even address is the first of its pair. */
static inline uint32_t csum_byte_at_even(unsigned char byte)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? (uint32_t)byte << 8 : byte;
}

static inline uint32_t csum_byte_at_odd(unsigned char byte)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? byte : (uint32_t)byte << 8;
}

/*
 * Sums what stands before the first multiple of eight, or less if the buffer ends before. Moves `*at` and
 * `*len` on. The sum is below 2^33.
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
static inline uint64_t csum_tail(const unsigned char *at, int len)
{
	uint64_t sum = 0;

	if (len & 4) {
		/* Behind a head that stopped early, four bytes may lie across a multiple of four. */
		sum += (uint64_t)((const csum_word16 *)at)[0] + ((const csum_word16 *)at)[1];
		at += 4;
	}
	if (len & 2) {
		sum += *(const csum_word16 *)at;
		at += 2;
	}
	if (len & 1)
		sum += csum_byte_at_even(*at);
	return sum;
}

/* Adds with the carry brought round. */
static inline uint64_t csum_add64(uint64_t a, uint64_t b)
{
	a += b;
	return a + (a < b);
}

/* 64 bits to 16 by rotating and adding: the carry of each addition ends up in the half that is kept. */
static inline uint16_t csum_fold64(uint64_t total)
{
	uint32_t folded;

	total += total >> 32 | total << 32;
	folded = (uint32_t)(total >> 32);
	folded += folded >> 16 | folded << 16;
	return (uint16_t)(folded >> 16);
}

/* The result: folded, put right for an odd start, and added to the caller's sum. */
static inline uint32_t csum_finish(uint64_t total, int odd, uint32_t sum)
{
	uint16_t folded = csum_fold64(total);

	if (odd)
		folded = (uint16_t)(folded << 8 | folded >> 8);
	sum += folded;
	return sum + (sum < folded);
}

#endif
