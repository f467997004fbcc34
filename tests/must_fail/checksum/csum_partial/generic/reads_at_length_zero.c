/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop tests its condition at the end, so an empty buffer is read once. The byte is not added.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail SIGSEGV
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const volatile unsigned char *bytes = buf;
	uint64_t total = sum;
	int i = 0;

	do {
		unsigned char byte = bytes[i];

		if (len > 0)
			total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? byte * 256u : byte;
	} while (++i < len);
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
