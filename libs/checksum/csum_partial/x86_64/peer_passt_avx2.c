/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peer: the technique of passt's and BESS's AVX2 checksum, rewritten from its description for the comparison.
 *
 * assay-about: 256-bit: 32-bit words unpacked to 64-bit lanes, four operations a vector
 * assay-peer: passt / BESS AVX2 (passt checksum.c csum_avx2, after BESS utils/checksum.h)
 * assay-requires: avx2
 *
 * 32-bit words unpacked with zero into 64-bit lanes, four accumulators, 128 bytes an iteration: four
 * operations for 32 bytes on three ports, 24 bytes/clock. The rest by scalar words. (passt aligns first, and
 * falls to a 16-bit loop at an odd address; here, and in passt's favour, loads are unaligned.)
 */
#include <immintrin.h>

#include "ones_complement.h"

static inline void add_vector(__m256i *sums, const uint8_t *p)
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i v = _mm256_loadu_si256((const __m256i *)p);

	sums[0] = _mm256_add_epi64(sums[0], _mm256_unpacklo_epi32(v, zero));
	sums[1] = _mm256_add_epi64(sums[1], _mm256_unpackhi_epi32(v, zero));
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	__m256i sums[4];
	__m128i half;
	uint64_t total;

	for (int i = 0; i < 4; i++)
		sums[i] = _mm256_setzero_si256();
	for (; len >= 128; p += 128, len -= 128) {
		add_vector(sums, p);
		add_vector(sums + 2, p + 32);
		add_vector(sums, p + 64);
		add_vector(sums + 2, p + 96);
	}
	for (; len >= 32; p += 32, len -= 32)
		add_vector(sums, p);
	sums[0] = _mm256_add_epi64(_mm256_add_epi64(sums[0], sums[1]), _mm256_add_epi64(sums[2], sums[3]));
	half = _mm_add_epi64(_mm256_castsi256_si128(sums[0]), _mm256_extracti128_si256(sums[0], 1));
	total = (uint64_t)_mm_cvtsi128_si64(half) + (uint64_t)_mm_extract_epi64(half, 1);
	return csum_narrow(total + csum_tail(p, len) + sum);
}
