/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit words with each carry brought round at once: the form for machines of 32 bits without a carry flag
 * (the kernel's generic one sums so).
 *
 * assay-about: 32-bit words, each carry brought round at once
 * assay-cflags: -fno-tree-vectorize -fno-unroll-loops
 */
#include "checksum.h"

uint16_t ip_fast_csum(const void *iph, unsigned int ihl)
{
	const uint32_t __attribute__((may_alias)) *word = iph;
	uint32_t total = 0;

	for (unsigned int i = 0; i < ihl; i++) {
		total += word[i];
		total += total < word[i];
	}
	total += total >> 16 | total << 16;
	return (uint16_t)~(total >> 16);
}
