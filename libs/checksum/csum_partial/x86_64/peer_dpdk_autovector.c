/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peer: what DPDK's rte_raw_cksum relies on, a loop over 16-bit words that the compiler vectorises, rewritten
 * for the comparison.
 *
 * assay-about: 16-bit words, vectorised by the compiler
 * assay-peer: DPDK rte_raw_cksum, -O3 (lib/net/rte_cksum.h)
 * assay-requires: avx2
 * assay-cflags: -O3
 *
 * 16-bit words are widened and added in 32-bit lanes. DPDK's 32-bit sum overflows above 128 KiB; here it is
 * flushed every 64 KiB, which costs nothing that can be measured.
 */
#include "ones_complement.h"

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	uint64_t total = sum;

	while (len >= 2) {
		size_t words = (len < 65536 ? len : 65536) / 2;
		uint32_t part = 0;

		for (size_t i = 0; i < words; i++)
			part += csum_load16(p + 2 * i);
		total += part;
		p += 2 * words;
		len -= 2 * words;
	}
	if (len)
		total += csum_odd_byte(*p);
	return csum_narrow(total);
}
