/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peer: the technique of FD.io VPP's AVX-512 checksum, rewritten from its description for the comparison.
 *
 * assay-about: 512-bit: 32-bit words unpacked to 64-bit lanes, four operations a vector
 * assay-peer: FD.io VPP AVX-512 (src/vppinfra/vector/ip_csum.h)
 * assay-requires: avx512
 *
 * Each vector of 32-bit words is unpacked with zero into two vectors of 64-bit lanes, and both are added:
 * four operations for 64 bytes. The tail is a masked load, so there is no scalar part, which is what made it
 * the best published form for short packets too.
 */
#include <immintrin.h>

#include "ones_complement.h"

static inline void add_vector(__m512i *sums, __m512i v)
{
	const __m512i zero = _mm512_setzero_si512();

	sums[0] = _mm512_add_epi64(sums[0], _mm512_unpacklo_epi32(v, zero));
	sums[1] = _mm512_add_epi64(sums[1], _mm512_unpackhi_epi32(v, zero));
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	__m512i sums[4];

	for (int i = 0; i < 4; i++)
		sums[i] = _mm512_setzero_si512();
	for (; len >= 256; p += 256, len -= 256) {
		add_vector(sums, _mm512_loadu_si512(p));
		add_vector(sums + 2, _mm512_loadu_si512(p + 64));
		add_vector(sums, _mm512_loadu_si512(p + 128));
		add_vector(sums + 2, _mm512_loadu_si512(p + 192));
	}
	for (; len >= 64; p += 64, len -= 64)
		add_vector(sums, _mm512_loadu_si512(p));
	if (len)
		add_vector(sums + 2, _mm512_maskz_loadu_epi8(_bzhi_u64(~0ULL, (unsigned int)len), p));
	sums[0] = _mm512_add_epi64(_mm512_add_epi64(sums[0], sums[1]), _mm512_add_epi64(sums[2], sums[3]));
	return csum_narrow((uint64_t)_mm512_reduce_add_epi64(sums[0]) + sum);
}
