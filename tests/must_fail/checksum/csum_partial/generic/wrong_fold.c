/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folds 64 bits to 32 by dropping the upper half. Right until the sum exceeds 32 bits, which short buffers reach
 * only from an initial sum near 2^32.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail the reference folds to
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	return (uint32_t)total;
}
