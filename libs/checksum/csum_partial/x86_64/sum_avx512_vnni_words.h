/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The accumulators of avx512_vnni_words.c, which explains them; the fused copy uses them too. */
#ifndef CHECKSUM_SUM_AVX512_VNNI_WORDS_H
#define CHECKSUM_SUM_AVX512_VNNI_WORDS_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define FLUSH_BYTES ((size_t)128 << 10)

struct sums {
	__m512i lanes[8];
};

static inline __attribute__((always_inline)) void add_vector(struct sums *s, unsigned int i, __m512i v)
{
	v = _mm512_xor_si512(v, _mm512_set1_epi16((short)0x8000));
	s->lanes[i] = _mm512_dpwssd_epi32(s->lanes[i], v, _mm512_set1_epi16(1));
}

/* Zero, once `vectors` vectors have been added. */
static inline __attribute__((always_inline)) struct sums sums_biased(size_t vectors)
{
	struct sums s;

	s.lanes[0] = _mm512_set1_epi32((int)(vectors << 16));
	for (int i = 1; i < 8; i++)
		s.lanes[i] = _mm512_setzero_si512();
	return s;
}

/* All sixteen 32-bit lanes of all eight accumulators. */
static inline __attribute__((always_inline)) uint32_t total(const struct sums *s)
{
	const __m512i *a = s->lanes;
	__m512i all = _mm512_add_epi32(_mm512_add_epi32(_mm512_add_epi32(a[0], a[1]), _mm512_add_epi32(a[2], a[3])),
				       _mm512_add_epi32(_mm512_add_epi32(a[4], a[5]), _mm512_add_epi32(a[6], a[7])));

	return (uint32_t)_mm512_reduce_add_epi32(all);
}

#endif
