/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peer: the technique of FreeBSD's amd64 in_cksumdata, rewritten from its description for the comparison.
 *
 * assay-about: 32-bit words added to 64-bit sums
 * assay-peer: FreeBSD amd64 (sys/amd64/amd64/in_cksum.c)
 * assay-cflags: -fno-tree-vectorize -fno-tree-slp-vectorize
 *
 * 32-bit words added to a 64-bit sum: there is no carry to care for at all. 64 bytes an iteration; without
 * vectors, as a kernel is built.
 */
#include "ones_complement.h"

/* Sixteen words, added pairwise first so that the sum waits for one addition only. */
static inline uint64_t sum_64_bytes(const uint8_t *p)
{
	uint64_t sum = 0;

	for (int i = 0; i < 64; i += 16)
		sum += ((uint64_t)csum_load32(p + i) + csum_load32(p + i + 4)) +
		       ((uint64_t)csum_load32(p + i + 8) + csum_load32(p + i + 12));
	return sum;
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	uint64_t total = sum;

	for (; len >= 64; p += 64, len -= 64)
		total += sum_64_bytes(p);
	for (; len >= 4; p += 4, len -= 4)
		total += csum_load32(p);
	return csum_narrow(total + csum_tail(p, len));
}
