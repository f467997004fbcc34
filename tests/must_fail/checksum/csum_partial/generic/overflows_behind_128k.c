/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A 32-bit accumulator of 16-bit words, without carries: right up to 128 KiB of all ones and wrong beyond, a bug of
 * several shipping libraries.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail the reference folds to
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint32_t total = 0;

	for (int i = 0; i < len; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	total += sum;
	return total + (total < sum);
}
