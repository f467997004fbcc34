/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with AVX-512 VNNI: bias and one vpdpwssd a vector.
 *
 * assay-about: 512-bit: words biased to signed, one vpdpwssd a vector
 * assay-requires: avx512_vnni
 *
 * vpdpwssd multiplies the two 16-bit words of a 32-bit lane by two others and adds both products to the lane:
 * with weights 1,1 it is the inner step of the checksum in a single instruction, except that it takes the
 * words as signed. Flipping the top bit of each word turns an unsigned u into the signed u - 0x8000; the sum
 * is then short by exactly 0x8000 a word, 0x10000 a lane and vector, a constant that is known beforehand and
 * with which the accumulator starts. The exclusive-or takes its data from memory, so a vector is two
 * operations in two fused micro-operations, where the byte form (avx512_vnni) needs two operations and a
 * separate load, twice the accumulators and twice the reduction at the end. The bound is the same, 64
 * bytes/clock on two ports; this form comes closer to it.
 *
 * Latency: vpdpwssd takes five clocks, and one can issue each clock beside an exclusive-or, so eight
 * accumulators are enough.
 *
 * Overflow: lanes count modulo 2^32, and what they hold at the end is the true sum of their words, at most 2
 * * 65535 a vector. All lanes of all accumulators are added in 32 bits, so 16 * 2 * 65535 * vectors < 2^32:
 * 2048 vectors, 128 KiB, then the sum is flushed to 64 bits.
 */
#include <immintrin.h>

#include "ones_complement.h"
#include "sum_avx512_vnni_words.h"

/* The checksum of len <= FLUSH_BYTES bytes, exact. */
static inline __attribute__((always_inline)) uint32_t sum_chunk(const uint8_t *p, size_t len)
{
	struct sums s = sums_biased((len + 63) / 64);

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
	return total(&s);
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	uint64_t all = sum;

	for (; len > FLUSH_BYTES; p += FLUSH_BYTES, len -= FLUSH_BYTES)
		all += sum_chunk(p, FLUSH_BYTES);
	return csum_narrow(all + sum_chunk(p, len));
}
