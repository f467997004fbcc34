/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * assay-cflags: -fno-vectorize -fno-unroll-loops
 *
 * The chained carry of the 2023 LoongArch thread's "uint64" (the kernel's lib/checksum.c and Alpha sum so):
 * each step adds the word and the carry of the step before, so no two steps overlap. The loop is the
 * thread's six instructions for eight bytes: load, add carry, advance, add word, compare, branch, with a
 * chain of three cycles (add, add, sltu) through it.
 */
#include "checksum.h"

typedef uint64_t __attribute__((may_alias)) word64;

#define BIG_ENDIAN_MACHINE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static uint16_t fold(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

/* A byte at an odd address is the second of its pair, and the first at an even one. */
static uint32_t byte_at_odd(unsigned char byte)
{
	return BIG_ENDIAN_MACHINE ? byte : (uint32_t)byte << 8;
}

static uint32_t byte_at_even(unsigned char byte)
{
	return BIG_ENDIAN_MACHINE ? (uint32_t)byte << 8 : byte;
}

/* From an even address to a multiple of eight, or what there is of it. */
static uint64_t sum_to_alignment(const unsigned char **at, int *len)
{
	uint64_t sum = 0;

	while (((uintptr_t)*at & 7) != 0 && *len >= 2) {
		sum += *(const uint16_t __attribute__((may_alias)) *)*at;
		*at += 2;
		*len -= 2;
	}
	return sum;
}

static uint64_t sum_words(const unsigned char *at, const unsigned char *end, uint64_t sum)
{
	uint64_t carry = 0;

	do {
		uint64_t word = *(const word64 *)at;

		at += 8;
		sum += carry;
		sum += word;
		carry = sum < word;
	} while (at != end);
	/* The last carry may carry once more. */
	sum += carry;
	return (sum & 0xffffffff) + (sum >> 32);
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *at = buf;
	uint64_t total = 0;
	int odd = (uintptr_t)at & 1;
	uint16_t folded;

	if (len <= 0)
		return sum;
	if (odd) {
		total = byte_at_odd(*at++);
		len--;
	}
	total += sum_to_alignment(&at, &len);
	if (len >= 8) {
		const unsigned char *end = at + (len & ~7);

		total = sum_words(at, end, total);
		at = end;
	}
	for (len &= 7; len >= 2; len -= 2, at += 2)
		total += *(const uint16_t __attribute__((may_alias)) *)at;
	if (len > 0)
		total += byte_at_even(*at);
	folded = fold(total);
	if (odd)
		folded = __builtin_bswap16(folded);
	sum += folded;
	return sum + (sum < folded);
}
