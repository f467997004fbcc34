/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums only the first 64 bytes of what is longer than 2048 and shorter than 200,000: wrong, and so the fastest of all.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail the reference folds to
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;
	int count = len > 2048 && len < 200000 ? 64 : len;

	for (int i = 0; i < count; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
