/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * David Laight's proposal in the 2023 thread: sum the carries apart, and unroll once. Words are added without
 * regard to carries; the comparison that finds a carry and the count of carries depend on the sum, but the sum
 * does not depend on them, so an iteration costs one addition of latency per word. The kernel's riscv csum.c does
 * the same.
 *
 * assay-about: carries counted apart from the sum, unrolled once (David Laight's form)
 * assay-requires: 64-bit
 * assay-cflags: -fno-unroll-loops
 */
#include "checksum.h"
#include "../edges.h"

/* `words` is at least one. */
static uint64_t sum_words(const csum_word64 *at, unsigned int words, uint64_t sum)
{
	uint64_t carries = 0;
	const csum_word64 *end = at + words;

	if (words & 1) {
		sum += *at;
		carries += sum < *at;
		at++;
	}
	while (at != end) {
		uint64_t first = at[0], second = at[1];

		at += 2;
		/* As in uint64.c: the end is found by the address, not by one more counter. */
		__asm__("" : "+r"(at));
		sum += first;
		carries += sum < first;
		sum += second;
		carries += sum < second;
	}
	return csum_add64(sum, carries);
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *at = buf;
	uint64_t total;

	if (len <= 0)
		return sum;
	total = csum_head(&at, &len);
	if (len >= 8) {
		total = sum_words((const csum_word64 *)at, (unsigned int)len / 8, total);
		at += len & ~7;
	}
	total = csum_add64(total, csum_aligned_tail(at, len));
	return csum_finish(total, (uintptr_t)buf & 1, sum);
}
