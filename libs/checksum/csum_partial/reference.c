/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition of csum_partial: byte by byte, in the words of RFC 1071. Bytes are paired from the start;
 * the first of a pair is the upper half of a word on a big-endian machine and the lower half on a
 * little-endian one. No sum of INT_MAX bytes comes near 64 bits, so all carries wait for the end.
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++) {
		int first_of_pair = i % 2 == 0;
		int upper_half = first_of_pair == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

		total += upper_half ? bytes[i] * 256u : bytes[i];
	}
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
