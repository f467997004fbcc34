/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Exchanges two words of its input: the sum is the same, the packet is not.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail wrote into its input
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	if (len >= 4) {
		unsigned char *words = (unsigned char *)(uintptr_t)buf;

		for (int i = 0; i < 2; i++) {
			unsigned char byte = words[i];

			words[i] = words[i + 2];
			words[i + 2] = byte;
		}
	}
	return (uint32_t)total;
}
