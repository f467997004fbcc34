/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums from 0, so a buffer of zeros gives 0, which means a fault.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail returned 0, which is kept for a fault
 */
#include "checksum.h"

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	const unsigned char *from = src;
	unsigned char *to = dst;
	uint64_t total = 0;

	for (int i = 0; i < len; i++) {
		to[i] = from[i];
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? from[i] * 256u : from[i];
	}
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
