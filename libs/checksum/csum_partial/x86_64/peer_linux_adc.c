/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peer: the technique of Linux's x86-64 csum_partial since 6.8, rewritten from its description for the
 * comparison.
 *
 * assay-about: two chains of adc, 80 bytes a turn, 40 bytes at once
 * assay-peer: Linux x86-64 (arch/x86/lib/csum-partial_64.c, commits 688eb8191b47 and a476aae3f1dc)
 *
 * Blocks of 40 bytes, the length of an IPv6 header and of a TCP/IP header pair: five words through one chain
 * of add-with-carry, closed by adding the last carry. From 80 bytes on two chains run side by side, which is
 * what lifts the flag-bound 8 bytes/clock of one chain to nearly 13. Exactly 40 bytes return at once.
 * Unaligned loads, no rotation for odd addresses. Differs from the kernel in the last seven bytes: that one
 * reads a whole word beyond the end under an exception table.
 */
#include "ones_complement.h"

#define WORD(p, offset) "m"(*(const uint8_t(*)[8])((p) + (offset)))

static inline uint64_t add_40_bytes(uint64_t sum, const uint8_t *p)
{
	__asm__("addq %[w0], %[sum]\n\t"
		"adcq %[w1], %[sum]\n\t"
		"adcq %[w2], %[sum]\n\t"
		"adcq %[w3], %[sum]\n\t"
		"adcq %[w4], %[sum]\n\t"
		"adcq $0, %[sum]"
		: [sum] "+r"(sum)
		: [w0] WORD(p, 0), [w1] WORD(p, 8), [w2] WORD(p, 16), [w3] WORD(p, 24), [w4] WORD(p, 32)
		: "cc");
	return sum;
}

static inline uint64_t add_32_bytes(uint64_t sum, const uint8_t *p)
{
	__asm__("addq %[w0], %[sum]\n\t"
		"adcq %[w1], %[sum]\n\t"
		"adcq %[w2], %[sum]\n\t"
		"adcq %[w3], %[sum]\n\t"
		"adcq $0, %[sum]"
		: [sum] "+r"(sum)
		: [w0] WORD(p, 0), [w1] WORD(p, 8), [w2] WORD(p, 16), [w3] WORD(p, 24)
		: "cc");
	return sum;
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	uint64_t total = sum;

	if (len >= 80) {
		uint64_t second = 0;

		for (; len >= 80; p += 80, len -= 80) {
			total = add_40_bytes(total, p);
			second = add_40_bytes(second, p + 40);
		}
		total = csum_add64(total, second);
	}
	if (len >= 40) {
		total = add_40_bytes(total, p);
		p += 40;
		len -= 40;
		if (!len)
			return csum_narrow(total);
	}
	if (len & 32) {
		total = add_32_bytes(total, p);
		p += 32;
	}
	return csum_narrow(csum_add64(total, csum_tail(p, len & 31)));
}
