/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition of csum_replace2: equation 3 of RFC 1624, HC' = ~(~HC + ~m + m'), all sums with the carry
 * brought round. ~HC is the sum over the header, ~m is minus the old field in one's complement.
 */
#include "checksum.h"

uint16_t csum_replace2(uint16_t check, uint16_t from, uint16_t to)
{
	uint32_t total = (uint16_t)~check;

	total += (uint16_t)~from;
	total += to;
	while (total > 0xffff)
		total = (total & 0xffff) + (total >> 16);
	return (uint16_t)~total;
}
