/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition of csum_partial_copy: each byte is copied and summed, in the words of RFC 1071 (see
 * csum_partial/reference.c for the byte order). The sum starts from 0xffffffff, which is congruent to zero
 * and is not the zero that means a fault.
 */
#include "checksum.h"

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	const unsigned char *from = src;
	unsigned char *to = dst;
	uint64_t total = 0xffffffff;

	for (int i = 0; i < len; i++) {
		int first_of_pair = i % 2 == 0;
		int upper_half = first_of_pair == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

		to[i] = from[i];
		total += upper_half ? from[i] * 256u : from[i];
	}
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
