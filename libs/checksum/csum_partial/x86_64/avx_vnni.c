/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with AVX-VNNI, the 256-bit VEX form that Intel's client CPUs have had since Alder Lake:
 * bias and one vpdpwssd a vector.
 *
 * assay-about: 256-bit: words biased to signed, one vpdpwssd a vector
 * assay-requires: avx_vnni
 *
 * The method is that of avx512_vnni_words.c: flip the top bit of each word to make it signed, let vpdpwssd
 * add the word pairs, and start with the bias of 0x10000 a lane and vector. It gains more here than there:
 * 256-bit vpdpwssd has two ports and the exclusive-or a third one besides, so 32 bytes take two of three
 * operations a clock: at most 48 bytes/clock, where two vpdpbusd a vector have 32.
 *
 * Overflow: a lane's true sum grows by at most 2 * 65535 a vector; eight lanes of all accumulators are added
 * in 32 bits at the end: 8 * 2 * 65535 * vectors < 2^32 allows 4096 vectors, 128 KiB, between flushes.
 */
#include <immintrin.h>

#include "ones_complement.h"

#define FLUSH_BYTES ((size_t)128 << 10)

struct sums {
	__m256i lanes[8];
};

static inline __attribute__((always_inline)) void add_vector(struct sums *s, unsigned int i, const uint8_t *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)p);

	v = _mm256_xor_si256(v, _mm256_set1_epi16((short)0x8000));
	s->lanes[i] = _mm256_dpwssd_avx_epi32(s->lanes[i], v, _mm256_set1_epi16(1));
}

static inline __attribute__((always_inline)) uint32_t total(const struct sums *s)
{
	const __m256i *a = s->lanes;
	__m256i all = _mm256_add_epi32(_mm256_add_epi32(_mm256_add_epi32(a[0], a[1]), _mm256_add_epi32(a[2], a[3])),
				       _mm256_add_epi32(_mm256_add_epi32(a[4], a[5]), _mm256_add_epi32(a[6], a[7])));
	__m128i half = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));

	half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
	half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
	return (uint32_t)_mm_cvtsi128_si32(half);
}

/* The whole vectors of len <= FLUSH_BYTES bytes, exact. */
static inline __attribute__((always_inline)) uint32_t sum_chunk(const uint8_t *p, size_t len)
{
	struct sums s;

	s.lanes[0] = _mm256_set1_epi32((int)(len / 32 << 16));
	for (int i = 1; i < 8; i++)
		s.lanes[i] = _mm256_setzero_si256();
	for (; len >= 256; p += 256, len -= 256)
		for (unsigned int i = 0; i < 8; i++)
			add_vector(&s, i, p + 32 * i);
	if (len & 128) {
		for (unsigned int i = 0; i < 4; i++)
			add_vector(&s, i, p + 32 * i);
		p += 128;
	}
	if (len & 64) {
		add_vector(&s, 4, p);
		add_vector(&s, 5, p + 32);
		p += 64;
	}
	if (len & 32)
		add_vector(&s, 6, p);
	return total(&s);
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	uint64_t all = sum;

	for (; len > FLUSH_BYTES; p += FLUSH_BYTES, len -= FLUSH_BYTES)
		all += sum_chunk(p, FLUSH_BYTES);
	all += sum_chunk(p, len);
	return csum_narrow(all + csum_tail(p + (len & ~(size_t)31), len & 31));
}
