/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ones-complement arithmetic for the checksum variants: what every one of them needs before its first vector
 * and after its last.
 *
 * The Internet checksum (RFC 1071) adds 16-bit words modulo 0xffff. Because 2^16 = 1 (mod 0xffff), a 32-bit
 * or 64-bit word is congruent to the sum of the 16-bit words in it, wherever they stand. So a variant may add
 * words of any width that the machine has, in native byte order, provided that a carry out of the top comes
 * back in at the bottom (2^32 = 2^64 = 1), and it may fold at the end.
 *
 * Two values stand for zero, 0x0000 and 0xffff, and the kernel's callers tell them apart: only all-zero input
 * may give 0. An end-around addition keeps that: its result is 0 only if both operands are.
 */
#ifndef CHECKSUM_ONES_COMPLEMENT_H
#define CHECKSUM_ONES_COMPLEMENT_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t csum_load16(const void *p)
{
	uint16_t word;

	__builtin_memcpy(&word, p, sizeof(word));
	return word;
}

static inline uint32_t csum_load32(const void *p)
{
	uint32_t word;

	__builtin_memcpy(&word, p, sizeof(word));
	return word;
}

static inline uint64_t csum_load64(const void *p)
{
	uint64_t word;

	__builtin_memcpy(&word, p, sizeof(word));
	return word;
}

/* a + b, with the carry out of bit 63 added back. */
static inline uint64_t csum_add64(uint64_t a, uint64_t b)
{
	a += b;
	return a + (a < b);
}

/* 64 bits to 32, end around: adding the halves swapped leaves their sum, carry included, in the upper half. */
static inline uint32_t csum_narrow(uint64_t sum)
{
	sum += (sum << 32) | (sum >> 32);
	return (uint32_t)(sum >> 32);
}

/*
 * The last byte of an odd length is the first byte of a word whose second is zero: low on a little-endian
 * machine, high on a big one.
 */
static inline uint64_t csum_odd_byte(uint8_t byte)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return (uint64_t)byte << 8;
#else
	return byte;
#endif
}

/*
 * The `count` < 8 bytes before `end`, as one word with the bytes in the places that they have in a
 * zero-padded word. Reads the 8 bytes before `end`, all of which have to belong to the buffer, and shifts out
 * those that were summed already: no branch, no over-read.
 */
static inline uint64_t csum_last_word(const uint8_t *end, size_t count)
{
	uint64_t word = csum_load64(end - 8);
	unsigned int unwanted_bits = (unsigned int)(8 - count) * 8;

	/* In two steps: a shift by 64 (count = 0) is undefined. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return (word << (unwanted_bits - 8)) << 8;
#else
	return (word >> (unwanted_bits - 8)) >> 8;
#endif
}

/*
 * Exact sums without a carry flag, as Segher Boessenkool proposed (linuxppc-dev, 16 January 2020): with A the
 * plain sum of 64-bit words modulo 2^64 and H the sum of their upper halves, the sum of the lower halves is A
 * - (H << 32), since it is below 2^64 up to 2^32 words. Two independent chains of one addition each, where
 * "add, compare, add" has a chain of three; on machines without a carry flag it takes no more instructions
 * either.
 */
struct csum_exact {
	uint64_t all, high;
};

static inline void csum_exact_add(struct csum_exact *s, uint64_t word)
{
	s->all += word;
	s->high += word >> 32;
}

static inline uint64_t csum_exact_total(struct csum_exact s)
{
	return s.all - (s.high << 32) + s.high;
}

/*
 * Keeps the compiler from vectorising a loop over few words, which makes short buffers slower and is not allowed
 * in a kernel.
 */
static inline void csum_exact_keep_scalar(struct csum_exact *s)
{
	__asm__("" : "+r"(s->all), "+r"(s->high));
}

/*
 * The words of p[0..len), exactly: for short buffers, and for what a vector loop leaves over. Callers add it
 * to other exact sums without end-around carry.
 */
static inline uint64_t csum_tail(const uint8_t *p, size_t len)
{
	struct csum_exact s = { 0, 0 };

	for (; len >= 32; p += 32, len -= 32) {
		for (int i = 0; i < 32; i += 8)
			csum_exact_add(&s, csum_load64(p + i));
		csum_exact_keep_scalar(&s);
	}
	if (len & 16) {
		csum_exact_add(&s, csum_load64(p));
		csum_exact_add(&s, csum_load64(p + 8));
		csum_exact_keep_scalar(&s);
		p += 16;
	}
	if (len & 8) {
		csum_exact_add(&s, csum_load64(p));
		p += 8;
	}
	if (len & 4) {
		s.all += csum_load32(p);
		p += 4;
	}
	if (len & 2) {
		s.all += csum_load16(p);
		p += 2;
	}
	if (len & 1)
		s.all += csum_odd_byte(*p);
	return csum_exact_total(s);
}

static inline void csum_exact_copy(struct csum_exact *s, const uint8_t *src, uint8_t *dst)
{
	uint64_t word = csum_load64(src);

	__builtin_memcpy(dst, &word, sizeof(word));
	csum_exact_add(s, word);
}

/* As csum_tail, and copies. */
static inline uint64_t csum_copy_tail(const uint8_t *src, uint8_t *dst, size_t len)
{
	struct csum_exact s = { 0, 0 };

	for (; len >= 32; src += 32, dst += 32, len -= 32) {
		for (int i = 0; i < 32; i += 8)
			csum_exact_copy(&s, src + i, dst + i);
		csum_exact_keep_scalar(&s);
	}
	if (len & 16) {
		csum_exact_copy(&s, src, dst);
		csum_exact_copy(&s, src + 8, dst + 8);
		csum_exact_keep_scalar(&s);
		src += 16;
		dst += 16;
	}
	if (len & 8) {
		csum_exact_copy(&s, src, dst);
		src += 8;
		dst += 8;
	}
	if (len & 4) {
		uint32_t word = csum_load32(src);

		__builtin_memcpy(dst, &word, sizeof(word));
		s.all += word;
		src += 4;
		dst += 4;
	}
	if (len & 2) {
		uint16_t word = csum_load16(src);

		__builtin_memcpy(dst, &word, sizeof(word));
		s.all += word;
		src += 2;
		dst += 2;
	}
	if (len & 1) {
		*dst = *src;
		s.all += csum_odd_byte(*src);
	}
	return csum_exact_total(s);
}

/*
 * Corrects a sum that began at an odd byte, so that its words straddle the right ones: exchanges its bytes (RFC
 * 1071, 2(B)).
 */
static inline uint32_t csum_exchange_bytes(uint32_t sum)
{
	return sum << 8 | sum >> 24;
}

#endif
