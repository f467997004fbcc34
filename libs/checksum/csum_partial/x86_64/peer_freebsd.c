/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peer: the technique of FreeBSD's amd64 in_cksumdata, rewritten from its description for the comparison.
 *
 * assay-about: 32-bit words added to 64-bit sums
 * assay-peer: FreeBSD amd64 (sys/amd64/amd64/in_cksum.c)
 *
 * 32-bit words added to a 64-bit sum: there is no carry to care for at all. 32 bytes an iteration in two
 * sums; -O2 only, as a kernel is built without vector registers.
 */
#include "ones_complement.h"

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	uint64_t a = sum, b = 0;

	for (; len >= 32; p += 32, len -= 32) {
		a += (uint64_t)csum_load32(p) + csum_load32(p + 4) + csum_load32(p + 8) + csum_load32(p + 12);
		b += (uint64_t)csum_load32(p + 16) + csum_load32(p + 20) + csum_load32(p + 24) + csum_load32(p + 28);
		__asm__("" : "+r"(a), "+r"(b));
	}
	for (a += b; len >= 4; p += 4, len -= 4)
		a += csum_load32(p);
	return csum_narrow(a + csum_tail(p, len));
}
