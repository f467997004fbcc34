/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with AVX-512, three operations a vector.
 *
 * assay-about: 512-bit: plain sums and sums of upper halves, three operations a vector
 * assay-requires: avx512
 *
 * A vector unit has no carry flag, so the usual form widens: each 64-byte vector is unpacked into two of
 * eight 32-bit words in 64-bit lanes, and both are added. That is four operations (two unpacks, two adds) on
 * a core whose 512-bit operations have two ports, hence at most 32 bytes/clock.
 *
 * Here the carry is not caught but computed afterwards (Segher Boessenkool, linuxppc-dev, 16 January 2020,
 * for scalar registers): keep
 *	A = sum of v            modulo 2^64, carries lost
 *	H = sum of (v >> 32)    exact
 * for each 64-bit lane. The sum of the low halves is below 2^64, is congruent to A - (H << 32) modulo 2^64,
 * and so equals it: nothing was lost after all. Three operations a vector: 42.7 bytes/clock. It is exact for
 * 2^32 vectors in a lane, 2^38 bytes.
 *
 * The tail is one load under a byte mask: masked-out bytes are not accessed (fault suppression, Intel SDM vol. 1, chapter 15), so it
 * may straddle an unmapped page.
 */
#include <immintrin.h>

#include "ones_complement.h"
#include "sum_avx512.h"

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	struct sums s = sums_zero();

	/* Below 256 bytes each taken branch counts: the path without one is that on which every piece is present. */
	if (__builtin_expect(len >= 256, 0)) {
		for (; len >= 256; p += 256, len -= 256)
			for (unsigned int i = 0; i < 4; i++)
				add_vector(&s, i & 1, _mm512_loadu_si512(p + 64 * i));
	}
	if (__builtin_expect(len >= 128, 1)) {
		add_vector(&s, 0, _mm512_loadu_si512(p));
		add_vector(&s, 1, _mm512_loadu_si512(p + 64));
		p += 128;
		len -= 128;
	}
	if (__builtin_expect(len >= 64, 1)) {
		add_vector(&s, 0, _mm512_loadu_si512(p));
		p += 64;
		len -= 64;
	}
	if (__builtin_expect(len != 0, 1))
		add_vector(&s, 1, _mm512_maskz_loadu_epi8(_bzhi_u64(~0ULL, (unsigned int)len), p));
	return csum_narrow(total(&s) + sum);
}
