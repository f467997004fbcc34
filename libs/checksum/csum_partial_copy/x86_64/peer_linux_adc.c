/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peer: the technique of Linux's x86-64 csum_partial_copy_generic, rewritten from its description for the
 * comparison.
 *
 * assay-about: one chain of adc, load, store and add for each word
 * assay-peer: Linux x86-64 csum_partial_copy_generic (arch/x86/lib/csum-copy_64.S)
 *
 * 64 bytes an iteration: eight words loaded into registers, added in one chain of add-with-carry, stored;
 * then words, then bytes. The kernel's loads and stores have exception table entries, which cost nothing.
 */
#include "ones_complement.h"

static inline uint64_t copy_64_bytes(uint64_t sum, const uint8_t *src, uint8_t *dst)
{
	uint64_t w[8];

	for (int i = 0; i < 8; i++)
		w[i] = csum_load64(src + 8 * i);
	__asm__("addq %[a], %[sum]\n\t"
		"adcq %[b], %[sum]\n\t"
		"adcq %[c], %[sum]\n\t"
		"adcq %[d], %[sum]\n\t"
		"adcq %[e], %[sum]\n\t"
		"adcq %[f], %[sum]\n\t"
		"adcq %[g], %[sum]\n\t"
		"adcq %[h], %[sum]\n\t"
		"adcq $0, %[sum]"
		: [sum] "+r"(sum)
		: [a] "r"(w[0]), [b] "r"(w[1]), [c] "r"(w[2]), [d] "r"(w[3]), [e] "r"(w[4]), [f] "r"(w[5]), [g] "r"(w[6]),
		  [h] "r"(w[7])
		: "cc");
	for (int i = 0; i < 8; i++)
		__builtin_memcpy(dst + 8 * i, &w[i], 8);
	return sum;
}

uint32_t csum_partial_copy(const void *source, void *destination, int length)
{
	size_t len = (unsigned int)length;
	const uint8_t *src = source;
	uint8_t *dst = destination;
	uint64_t sum = 0xffffffff;

	for (; len >= 64; src += 64, dst += 64, len -= 64)
		sum = copy_64_bytes(sum, src, dst);
	return csum_narrow(csum_add64(sum, csum_copy_tail(src, dst, len)));
}
