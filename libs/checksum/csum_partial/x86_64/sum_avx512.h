/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The accumulators of avx512.c, which explains them; the fused copy uses them too. */
#ifndef CHECKSUM_SUM_AVX512_H
#define CHECKSUM_SUM_AVX512_H

#include <immintrin.h>
#include <stdint.h>

/* Two independent sums, so that each addition has two clocks for its one clock of latency. */
struct sums {
	__m512i all[2], high[2];
};

static inline void add_vector(struct sums *s, unsigned int i, __m512i v)
{
	s->all[i] = _mm512_add_epi64(s->all[i], v);
	s->high[i] = _mm512_add_epi64(s->high[i], _mm512_srli_epi64(v, 32));
}

static inline struct sums sums_zero(void)
{
	const __m512i zero = _mm512_setzero_si512();

	return (struct sums){ { zero, zero }, { zero, zero } };
}

/*
 * Sum of the low halves + sum of the high halves, over all lanes. Each lane is below 2^33 times the vectors:
 * no overflow up to 2^34 bytes.
 */
static inline uint64_t total(const struct sums *s)
{
	__m512i all = _mm512_add_epi64(s->all[0], s->all[1]);
	__m512i high = _mm512_add_epi64(s->high[0], s->high[1]);
	__m512i low = _mm512_sub_epi64(all, _mm512_slli_epi64(high, 32));

	return (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(low, high));
}

#endif
