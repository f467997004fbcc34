/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with AVX-512 VNNI: two vpdpbusd a vector.
 *
 * assay-about: 512-bit: two vpdpbusd a vector (low bytes, high bytes)
 * assay-requires: avx512_vnni
 *
 * vpdpbusd adds to each 32-bit lane the dot product of four unsigned bytes with four signed bytes. With the
 * weights 1,0,1,0 it adds the low bytes of a lane's two 16-bit words, with 0,1,0,1 the high ones; at the end
 * the checksum is low + 256 * high. One instruction widens, weighs and adds, so a vector costs two
 * operations: 64 bytes/clock on a core with two 512-bit ports. One instruction would do if a weight of 256
 * were a signed byte, or any pair (a, 256 a mod 65535) were; none is.
 *
 * Latency: five clocks for each vpdpbusd, two ports, so ten accumulators would be needed to fill the ports;
 * with four low and four high ones the loop is capped at 4/5 of 64 bytes/clock. Sixteen (eight vectors) lift
 * the cap for long buffers.
 *
 * Overflow: a 32-bit lane, summed over the accumulators, grows by at most 510 a vector: 2^32 / 510 allows 8.4
 * million vectors, 513 MiB, before the sum has to be flushed to 64-bit lanes.
 */
#include <immintrin.h>

#include "ones_complement.h"

#define FLUSH_BYTES ((size_t)256 << 20)

struct sums {
	__m512i low[8], high[8];
};

static inline __attribute__((always_inline)) void add_vector(struct sums *s, unsigned int i, __m512i v)
{
	s->low[i] = _mm512_dpbusd_epi32(s->low[i], v, _mm512_set1_epi16(0x0001));
	s->high[i] = _mm512_dpbusd_epi32(s->high[i], v, _mm512_set1_epi16(0x0100));
}

static inline __attribute__((always_inline)) __m512i add_eight(const __m512i *a)
{
	return _mm512_add_epi32(_mm512_add_epi32(_mm512_add_epi32(a[0], a[1]), _mm512_add_epi32(a[2], a[3])),
				_mm512_add_epi32(_mm512_add_epi32(a[4], a[5]), _mm512_add_epi32(a[6], a[7])));
}

/* The checksum of len <= FLUSH_BYTES bytes, as a 64-bit number below 2^45. */
static inline __attribute__((always_inline)) uint64_t sum_chunk(const uint8_t *p, size_t len)
{
	struct sums s;
	__m512i low, high, evens = _mm512_set1_epi64(0xffffffff);

	for (int i = 0; i < 8; i++)
		s.low[i] = s.high[i] = _mm512_setzero_si512();
	for (; len >= 512; p += 512, len -= 512)
		for (unsigned int i = 0; i < 8; i++)
			add_vector(&s, i, _mm512_loadu_si512(p + 64 * i));
	if (len & 256) {
		for (unsigned int i = 0; i < 4; i++)
			add_vector(&s, i, _mm512_loadu_si512(p + 64 * i));
		p += 256;
	}
	if (len & 128) {
		add_vector(&s, 4, _mm512_loadu_si512(p));
		add_vector(&s, 5, _mm512_loadu_si512(p + 64));
		p += 128;
	}
	if (len & 64) {
		add_vector(&s, 6, _mm512_loadu_si512(p));
		p += 64;
	}
	if (len & 63)
		add_vector(&s, 7, _mm512_maskz_loadu_epi8(_bzhi_u64(~0ULL, len & 63), p));
	low = add_eight(s.low);
	high = add_eight(s.high);
	low = _mm512_add_epi64(_mm512_and_si512(low, evens), _mm512_srli_epi64(low, 32));
	high = _mm512_add_epi64(_mm512_and_si512(high, evens), _mm512_srli_epi64(high, 32));
	return (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(low, _mm512_slli_epi64(high, 8)));
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	uint64_t total = sum;

	for (; len > FLUSH_BYTES; p += FLUSH_BYTES, len -= FLUSH_BYTES)
		total += sum_chunk(p, FLUSH_BYTES);
	return csum_narrow(total + sum_chunk(p, len));
}
