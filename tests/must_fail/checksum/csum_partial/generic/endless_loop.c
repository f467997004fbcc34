/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts down in steps of two from an odd length and waits for zero.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail endless loop
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (volatile int left = len; left != 0; left -= 2) {
		int i = len - left;

		if (i >= 0 && i + 1 < len)
			total += __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? bytes[i] * 256u + bytes[i + 1] :
									  bytes[i + 1] * 256u + bytes[i];
		/* An odd count stays odd and negative, without int overflow, so it never reaches zero. */
		if (left < -1000)
			left = -1001 + 2;
	}
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
