/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with AVX-512, without VNNI: carry-save adders from vpternlogq.
 *
 * assay-about: 512-bit: carry-save adders of vpternlogq, 2.1 operations a vector
 * assay-requires: avx512
 *
 * A carry-save adder takes three numbers and gives two of the same sum: the bitwise sum without carries (a ^
 * b ^ c) and the carries (majority of a, b, c), which weigh twice as much. vpternlogq computes either in one
 * operation, so eliminating a vector costs two operations and no carry can be lost, since every carry stays
 * in its bit position. This is the Harley-Seal tree of population counts (Mula, Kurz, Lemire, "Faster
 * Population Counts Using AVX2 Instructions", 2018) put to another use. Eight vectors and the pending "ones",
 * "twos" and "fours" go through seven adders (14 operations); what comes out, "eights", is added as in
 * avx512.c (3 operations): 17 for eight vectors instead of 24, a bound of 60 bytes/clock on two ports, where
 * the three-operation form has 42.7.
 *
 * At the end ones + 2 twos + 4 fours + 8 eights is evaluated in 64-bit lanes.
 */
#include <immintrin.h>

#include "ones_complement.h"

#define XOR3 0x96
#define MAJORITY 0xe8

/* all = sum of v modulo 2^64, high = sum of (v >> 32): see avx512.c. */
struct sums {
	__m512i all, high;
};

static inline void add_vector(struct sums *s, __m512i v)
{
	s->all = _mm512_add_epi64(s->all, v);
	s->high = _mm512_add_epi64(s->high, _mm512_srli_epi64(v, 32));
}

/* *a + b + c = *a + 2 * returned */
static inline __m512i carry_save(__m512i *a, __m512i b, __m512i c)
{
	__m512i carry = _mm512_ternarylogic_epi64(*a, b, c, MAJORITY);

	*a = _mm512_ternarylogic_epi64(*a, b, c, XOR3);
	return carry;
}

/*
 * Adds weight * (sum of the words of s), lane by lane; the result of each lane is below 2^64 for weight *
 * vectors < 2^31.
 */
static inline __m512i weighted(struct sums s, unsigned int shift)
{
	__m512i low = _mm512_sub_epi64(s.all, _mm512_slli_epi64(s.high, 32));

	return _mm512_slli_epi64(_mm512_add_epi64(low, s.high), shift);
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	const __m512i zero = _mm512_setzero_si512();
	struct sums units = { zero, zero }, twice = units, fourfold = units, eightfold = units;
	__m512i lanes;

	if (len >= 512) {
		__m512i ones = zero, twos = zero, fours = zero;

		for (; len >= 512; p += 512, len -= 512) {
			__m512i two_a, two_b, four_a, four_b;

			two_a = carry_save(&ones, _mm512_loadu_si512(p), _mm512_loadu_si512(p + 64));
			two_b = carry_save(&ones, _mm512_loadu_si512(p + 128), _mm512_loadu_si512(p + 192));
			four_a = carry_save(&twos, two_a, two_b);
			two_a = carry_save(&ones, _mm512_loadu_si512(p + 256), _mm512_loadu_si512(p + 320));
			two_b = carry_save(&ones, _mm512_loadu_si512(p + 384), _mm512_loadu_si512(p + 448));
			four_b = carry_save(&twos, two_a, two_b);
			add_vector(&eightfold, carry_save(&fours, four_a, four_b));
		}
		add_vector(&units, ones);
		add_vector(&twice, twos);
		add_vector(&fourfold, fours);
	}
	for (; len >= 64; p += 64, len -= 64)
		add_vector(&units, _mm512_loadu_si512(p));
	if (len)
		add_vector(&units, _mm512_maskz_loadu_epi8(_bzhi_u64(~0ULL, (unsigned int)len), p));
	lanes = _mm512_add_epi64(_mm512_add_epi64(weighted(units, 0), weighted(twice, 1)),
				 _mm512_add_epi64(weighted(fourfold, 2), weighted(eightfold, 3)));
	return csum_narrow((uint64_t)_mm512_reduce_add_epi64(lanes) + sum);
}
