/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Carries summed apart, as in csum_partial/generic/apart.c, on words that are copied from source to target. Both
 * addresses may be unaligned: for a machine on which unaligned words are slow the compiler uses byte accesses, and
 * such a machine needs a variant of its own.
 *
 * assay-about: 64-bit words copied and added, carries counted apart, two sums
 * assay-requires: 64-bit
 * assay-cflags: -fno-unroll-loops -fno-tree-vectorize -fno-tree-slp-vectorize
 */
#include "checksum.h"
#include "ones_complement.h"

static inline uint64_t copy_word(unsigned char *to, const unsigned char *from)
{
	uint64_t word = csum_load64(from);

	__builtin_memcpy(to, &word, sizeof(word));
	return word;
}

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	const unsigned char *from = src;
	unsigned char *to = dst;
	uint64_t sums[2] = { 0xffffffff, 0 }, carries[2] = { 0, 0 };

	for (; len >= 32; len -= 32, from += 32, to += 32) {
		for (int i = 0; i < 4; i++) {
			uint64_t word = copy_word(to + 8 * i, from + 8 * i);

			sums[i % 2] += word;
			carries[i % 2] += sums[i % 2] < word;
		}
	}
	sums[0] = csum_add64(sums[0], carries[0]);
	sums[1] = csum_add64(sums[1], carries[1]);
	if (len > 0)
		sums[0] = csum_add64(sums[0], csum_copy_tail(from, to, (unsigned int)len));
	return csum_narrow(csum_add64(sums[0], sums[1]));
}
