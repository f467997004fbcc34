/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Congruent, but the wrong one of the two zeros: a remainder modulo 0xffff turns a sum of 0xffff into 0, which
 * only all-zero data may give.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail folds to 0x0000; the reference folds to 0xffff
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint32_t total = sum % 0xffff;

	for (int i = 0; i < len; i++) {
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
		if (total >= 0xffff)
			total -= 0xffff;
	}
	return total;
}
