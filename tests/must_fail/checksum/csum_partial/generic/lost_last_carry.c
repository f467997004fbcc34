/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the carries separately, correctly, and adds the count at the end, but drops the carry of that addition.
 * Only a sum within a few hundred of 2^32 shows it, which random data almost never give.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail the reference folds to
 */
#include "checksum.h"

static uint32_t load(const unsigned char *at, int bytes)
{
	uint32_t word = 0;

	for (int i = 0; i < 4 && i < bytes; i++)
		word |= (uint32_t)at[i] << (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 24 - 8 * i : 8 * i);
	return word;
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *at = buf;
	uint32_t carries = 0;

	for (; len > 0; at += 4, len -= 4) {
		uint32_t word = load(at, len);

		sum += word;
		carries += sum < word;
	}
	return sum + carries;
}
