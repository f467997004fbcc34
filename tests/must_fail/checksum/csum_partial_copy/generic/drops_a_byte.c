/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums everything and copies all but the last byte of 33, as a loop does that counts in steps of 32.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail copied byte 32
 */
#include "checksum.h"

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	const unsigned char *from = src;
	volatile unsigned char *to = dst;
	uint64_t total = 0xffffffff;

	for (int i = 0; i < len; i++) {
		if (i != 32 || len != 33)
			to[i] = from[i];
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? from[i] * 256u : from[i];
	}
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
