/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The last byte of an odd length is added on the wrong side of its word, as in code that was written for the
 * other byte order.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail the reference folds to
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++) {
		int upper = (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

		if (i == len - 1 && len % 2 == 1)
			upper = !upper;
		total += upper ? bytes[i] * 256u : bytes[i];
	}
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
