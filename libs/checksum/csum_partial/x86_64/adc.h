/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Short buffers on x86-64: chains of add-with-carry, used by the scalar variant (adc.c) and by the dispatcher
 * (dispatch.c).
 *
 * Each function adds a number of 64-bit words to `sum` with the carry going around. The carry flag does not
 * survive in C, so each is one asm statement; its operands are in memory, since a load that is fused with an
 * addition costs nothing extra.
 */
#ifndef CHECKSUM_X86_64_ADC_H
#define CHECKSUM_X86_64_ADC_H

#include "ones_complement.h"

#define BYTES(p, offset, count) "m"(*(const uint8_t(*)[count])((p) + (offset)))

static inline uint64_t adc_8_bytes(uint64_t sum, const uint8_t *p)
{
	__asm__("addq %[word], %[sum]\n\tadcq $0, %[sum]" : [sum] "+r"(sum) : [word] BYTES(p, 0, 8) : "cc");
	return sum;
}

static inline uint64_t adc_16_bytes(uint64_t sum, const uint8_t *p)
{
	__asm__("addq %[w0], %[sum]\n\tadcq %[w1], %[sum]\n\tadcq $0, %[sum]"
		: [sum] "+r"(sum)
		: [w0] BYTES(p, 0, 8), [w1] BYTES(p, 8, 8)
		: "cc");
	return sum;
}

static inline uint64_t adc_32_bytes(uint64_t sum, const uint8_t *p)
{
	__asm__("addq %[w0], %[sum]\n\t"
		"adcq %[w1], %[sum]\n\t"
		"adcq %[w2], %[sum]\n\t"
		"adcq %[w3], %[sum]\n\t"
		"adcq $0, %[sum]"
		: [sum] "+r"(sum)
		: [w0] BYTES(p, 0, 8), [w1] BYTES(p, 8, 8), [w2] BYTES(p, 16, 8), [w3] BYTES(p, 24, 8)
		: "cc");
	return sum;
}

static inline uint64_t adc_40_bytes(uint64_t sum, const uint8_t *p)
{
	__asm__("addq %[w0], %[sum]\n\t"
		"adcq %[w1], %[sum]\n\t"
		"adcq %[w2], %[sum]\n\t"
		"adcq %[w3], %[sum]\n\t"
		"adcq %[w4], %[sum]\n\t"
		"adcq $0, %[sum]"
		: [sum] "+r"(sum)
		: [w0] BYTES(p, 0, 8), [w1] BYTES(p, 8, 8), [w2] BYTES(p, 16, 8), [w3] BYTES(p, 24, 8), [w4] BYTES(p, 32, 8)
		: "cc");
	return sum;
}

/* sum + fewer than 64 bytes. */
static inline uint64_t adc_short(uint64_t sum, const uint8_t *p, size_t len)
{
	const uint8_t *end = p + len;

	if (len < 8)
		return csum_add64(sum, csum_tail(p, len));
	if (len & 32) {
		sum = adc_32_bytes(sum, p);
		p += 32;
	}
	if (len & 16) {
		sum = adc_16_bytes(sum, p);
		p += 16;
	}
	if (len & 8)
		sum = adc_8_bytes(sum, p);
	if (len & 7)
		sum = csum_add64(sum, csum_last_word(end, len & 7));
	return sum;
}

#endif
