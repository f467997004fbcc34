/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The accumulators of avx2.c, which explains them; the fused copy uses them too. */
#ifndef CHECKSUM_SUM_AVX2_H
#define CHECKSUM_SUM_AVX2_H

#include <immintrin.h>
#include <stdint.h>

struct sums {
	__m256i all[2], high[2];
};

static inline struct sums sums_zero(void)
{
	const __m256i zero = _mm256_setzero_si256();

	return (struct sums){ { zero, zero }, { zero, zero } };
}

static inline __m256i load(const uint8_t *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

static inline void add_vector(struct sums *s, unsigned int i, __m256i v)
{
	s->all[i] = _mm256_add_epi64(s->all[i], v);
	s->high[i] = _mm256_add_epi64(s->high[i], _mm256_srli_epi64(v, 32));
}

static inline uint64_t total(const struct sums *s)
{
	__m256i all = _mm256_add_epi64(s->all[0], s->all[1]);
	__m256i high = _mm256_add_epi64(s->high[0], s->high[1]);
	__m256i both = _mm256_add_epi64(_mm256_sub_epi64(all, _mm256_slli_epi64(high, 32)), high);
	__m128i half = _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));

	return (uint64_t)_mm_cvtsi128_si64(half) + (uint64_t)_mm_extract_epi64(half, 1);
}

#endif
