/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with AVX-512, three operations a vector.
 * assay-requires: avx512
 *
 * A vector unit has no carry flag, so the usual form widens: each 64-byte vector is unpacked into two of eight 32-bit words in 64-bit
 * lanes, and both are added. That is four operations (two unpacks, two adds) on a core whose 512-bit operations have two ports, hence at
 * most 32 bytes/clock.
 *
 * Here the carry is not caught but computed afterwards (Segher Boessenkool, linuxppc-dev, 16 January 2020, for scalar registers): keep
 *	A = sum of v            modulo 2^64, carries lost
 *	H = sum of (v >> 32)    exact
 * for each 64-bit lane. The sum of the low halves is below 2^64, is congruent to A - (H << 32) modulo 2^64, and so equals it: nothing was
 * lost after all. Three operations a vector: 42.7 bytes/clock. It is exact for 2^32 vectors in a lane, 2^38 bytes.
 *
 * The tail is one load under a byte mask: masked-out bytes are not accessed (Intel SDM vol. 1, 15.6.4), so it may straddle an unmapped
 * page.
 */
#include <immintrin.h>

#include "ones_complement.h"

/* Two independent sums, so that each addition has two clocks for its one clock of latency. */
struct sums {
	__m512i all[2], high[2];
};

static inline void add_vector(struct sums *s, unsigned int i, __m512i v)
{
	s->all[i] = _mm512_add_epi64(s->all[i], v);
	s->high[i] = _mm512_add_epi64(s->high[i], _mm512_srli_epi64(v, 32));
}

/* Sum of the low halves + sum of the high halves, over all lanes. Each lane is below 2^33 times the vectors: no overflow up to 2^34 bytes. */
static inline uint64_t total(const struct sums *s)
{
	__m512i all = _mm512_add_epi64(s->all[0], s->all[1]);
	__m512i high = _mm512_add_epi64(s->high[0], s->high[1]);
	__m512i low = _mm512_sub_epi64(all, _mm512_slli_epi64(high, 32));

	return (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(low, high));
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	struct sums s;

	s.all[0] = s.all[1] = s.high[0] = s.high[1] = _mm512_setzero_si512();
	for (; len >= 256; p += 256, len -= 256) {
		add_vector(&s, 0, _mm512_loadu_si512(p));
		add_vector(&s, 1, _mm512_loadu_si512(p + 64));
		add_vector(&s, 0, _mm512_loadu_si512(p + 128));
		add_vector(&s, 1, _mm512_loadu_si512(p + 192));
	}
	if (len >= 128) {
		add_vector(&s, 0, _mm512_loadu_si512(p));
		add_vector(&s, 1, _mm512_loadu_si512(p + 64));
		p += 128;
		len -= 128;
	}
	if (len >= 64) {
		add_vector(&s, 0, _mm512_loadu_si512(p));
		p += 64;
		len -= 64;
	}
	if (len)
		add_vector(&s, 1, _mm512_maskz_loadu_epi8(_bzhi_u64(~0ULL, (unsigned int)len), p));
	return csum_narrow(total(&s) + sum);
}
