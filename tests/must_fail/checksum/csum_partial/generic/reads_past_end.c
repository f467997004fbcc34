/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Over-read by one byte: the loop for 16-bit words also runs for a last single byte, and masks the byte it
 * should not have read. The sum is right; only a page that cannot be read behind the buffer shows it.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail SIGSEGV
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i += 2) {
		/* volatile: the compiler must not skip the load where the byte is not used. */
		unsigned char first = bytes[i], second = *(const volatile unsigned char *)&bytes[i + 1];

		if (i + 1 == len)
			second = 0;
		total += __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? first * 256u + second : second * 256u + first;
	}
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
