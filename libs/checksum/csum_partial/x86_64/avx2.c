/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with AVX2, three operations a vector.
 * assay-requires: avx2
 *
 * Sums of v and of (v >> 32) in 64-bit lanes, as explained in avx512.c. Three operations for 32 bytes, on three vector ports (Intel since
 * Haswell; the shift has two of them): at most 32 bytes/clock, where the unpacking form has four and 24. Two pairs of sums are enough for
 * the one clock of latency.
 *
 * AVX2 has no byte-masked load. The up to 31 bytes at the end go through scalar registers, at the same time as the vector part.
 */
#include <immintrin.h>

#include "ones_complement.h"

struct sums {
	__m256i all[2], high[2];
};

static inline void add_vector(struct sums *s, unsigned int i, const uint8_t *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)p);

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

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	struct sums s;

	s.all[0] = s.all[1] = s.high[0] = s.high[1] = _mm256_setzero_si256();
	for (; len >= 128; p += 128, len -= 128)
		for (unsigned int i = 0; i < 4; i++)
			add_vector(&s, i & 1, p + 32 * i);
	if (len & 64) {
		add_vector(&s, 0, p);
		add_vector(&s, 1, p + 32);
		p += 64;
	}
	if (len & 32) {
		add_vector(&s, 0, p);
		p += 32;
	}
	return csum_narrow(total(&s) + csum_tail(p, len & 31) + sum);
}
