/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The chained carry of the 2023 LoongArch thread's "uint64" (the kernel's lib/checksum.c and Alpha sum so):
 * each step adds the word and the carry of the step before, so no two steps overlap. The loop is the
 * thread's six instructions for eight bytes: load, add carry, advance, add word, compare, branch, with a
 * chain of three (add, add, sltu) through it.
 *
 * assay-about: 64-bit words, each step adds the last one's carry (the thread's uint64)
 * assay-requires: 64-bit
 * assay-cflags: -fno-unroll-loops
 */
#include "checksum.h"
#include "../edges.h"

static uint64_t sum_words(const unsigned char *at, const unsigned char *end, uint64_t sum)
{
	uint64_t carry = 0;

	do {
		uint64_t word = *(const csum_word64 *)at;

		at += 8;
		/* Hides from the compiler what `at` is, or it counts the words in one more register, which is one
		 * more instruction than in the thread's listing. */
		__asm__("" : "+r"(at));
		sum += carry;
		sum += word;
		carry = sum < word;
	} while (at != end);
	return csum_add64(sum, carry);
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *at = buf;
	uint64_t total;

	if (len <= 0)
		return sum;
	total = csum_head(&at, &len);
	if (len >= 8) {
		const unsigned char *end = at + (len & ~7);

		total = sum_words(at, end, total);
		at = end;
	}
	total = csum_add64(total, csum_aligned_tail(at, len));
	return csum_finish(total, (uintptr_t)buf & 1, sum);
}
