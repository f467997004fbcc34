/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit words with each carry brought round at once (the kernel's generic one sums so).
 *
 * assay-about: 32-bit words, each carry brought round at once
 * assay-cflags: -fno-tree-vectorize -fno-tree-slp-vectorize
 */
#include "checksum.h"

static uint32_t as_in_memory(uint32_t number)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ?
		       number :
		       number >> 24 | (number >> 8 & 0xff00) | (number << 8 & 0xff0000) | number << 24;
}

static uint32_t add(uint32_t a, uint32_t b)
{
	a += b;
	return a + (a < b);
}

uint16_t csum_ipv6_magic(const void *saddr, const void *daddr, uint32_t len, uint8_t proto, uint32_t sum)
{
	const uint32_t __attribute__((may_alias)) *from = saddr, *to = daddr;

	for (int i = 0; i < 4; i++)
		sum = add(add(sum, from[i]), to[i]);
	sum = add(add(sum, as_in_memory(len)), as_in_memory(proto));
	sum += sum >> 16 | sum << 16;
	return (uint16_t)~(sum >> 16);
}
