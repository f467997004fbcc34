/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition of csum_ipv6_magic: the pseudo-header of RFC 8200, section 8.1, written out byte by byte as
 * it would stand in a packet - two addresses, the length in 32 bits, three zeros, the next header - and
 * summed byte by byte on top of `sum`.
 */
#include "checksum.h"

uint16_t csum_ipv6_magic(const void *saddr, const void *daddr, uint32_t len, uint8_t proto, uint32_t sum)
{
	unsigned char header[40];
	uint64_t total = sum;

	for (int i = 0; i < 16; i++) {
		header[i] = ((const unsigned char *)saddr)[i];
		header[16 + i] = ((const unsigned char *)daddr)[i];
	}
	for (int i = 0; i < 4; i++) {
		header[32 + i] = (unsigned char)(len >> (24 - 8 * i));
		header[36 + i] = i == 3 ? proto : 0;
	}
	for (int i = 0; i < 40; i++) {
		int first_of_pair = i % 2 == 0;
		int upper_half = first_of_pair == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

		total += upper_half ? header[i] * 256u : header[i];
	}
	while (total > 0xffff)
		total = (total & 0xffff) + (total >> 16);
	return (uint16_t)~total;
}
