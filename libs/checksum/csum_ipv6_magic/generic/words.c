/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit words into a 64-bit sum: eleven of them cannot overflow it. Length and next header are numbers in
 * the machine's order and are added as they would lie in memory.
 *
 * assay-about: 32-bit words into a 64-bit sum
 * assay-requires: 64-bit
 * assay-cflags: -fno-tree-vectorize -fno-tree-slp-vectorize
 */
#include "checksum.h"
#include "ones_complement.h"

static uint32_t as_in_memory(uint32_t number)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? number : __builtin_bswap32(number);
}

uint16_t csum_ipv6_magic(const void *saddr, const void *daddr, uint32_t len, uint8_t proto, uint32_t sum)
{
	const uint32_t __attribute__((may_alias)) *from = saddr, *to = daddr;
	uint64_t total = (uint64_t)from[0] + from[1] + from[2] + from[3];
	uint32_t narrow;

	total += (uint64_t)to[0] + to[1] + to[2] + to[3];
	total += (uint64_t)as_in_memory(len) + as_in_memory(proto) + sum;
	narrow = csum_narrow(total);
	narrow += narrow >> 16 | narrow << 16;
	return (uint16_t)~(narrow >> 16);
}
