/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The definition of ip_fast_csum: the header byte by byte, folded and complemented (RFC 791, 3.1; RFC 1071). */
#include "checksum.h"

uint16_t ip_fast_csum(const void *iph, unsigned int ihl)
{
	const unsigned char *bytes = iph;
	uint32_t total = 0;

	for (unsigned int i = 0; i < ihl * 4; i++) {
		int first_of_pair = i % 2 == 0;
		int upper_half = first_of_pair == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

		total += upper_half ? bytes[i] * 256u : bytes[i];
	}
	while (total > 0xffff)
		total = (total & 0xffff) + (total >> 16);
	return (uint16_t)~total;
}
