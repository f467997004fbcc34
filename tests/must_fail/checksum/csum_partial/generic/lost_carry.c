/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums in 64 bits and adds the halves at the end, but not the carry of that addition.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail the reference folds to
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *at = buf;
	uint64_t total = sum;

	for (; len > 0; at += 4, len -= 4) {
		for (int i = 0; i < 4 && i < len; i++)
			total += (uint64_t)at[i] << (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 24 - 8 * i : 8 * i);
	}
	return (uint32_t)total + (uint32_t)(total >> 32);
}
