/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit words into a 64-bit sum: fifteen of them cannot overflow it, so no carry is looked at. The five
 * words that every header has are added without a loop.
 *
 * assay-about: 32-bit words into a 64-bit sum, five without a loop
 * assay-requires: 64-bit
 * assay-cflags: -fno-tree-vectorize -fno-tree-slp-vectorize -fno-unroll-loops
 */
#include "checksum.h"
#include "ones_complement.h"

uint16_t ip_fast_csum(const void *iph, unsigned int ihl)
{
	const uint32_t __attribute__((may_alias)) *word = iph;
	uint64_t total = (uint64_t)word[0] + word[1] + word[2] + word[3] + word[4];
	uint32_t narrow;

	for (unsigned int i = 5; i < ihl; i++)
		total += word[i];
	narrow = csum_narrow(total);
	narrow += narrow >> 16 | narrow << 16;
	return (uint16_t)~(narrow >> 16);
}
