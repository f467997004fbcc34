/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with AVX2, three operations a vector.
 *
 * assay-about: 256-bit: plain sums and sums of upper halves, three operations a vector
 * assay-requires: avx2
 *
 * Sums of v and of (v >> 32) in 64-bit lanes, as explained in avx512.c. Three operations for 32 bytes, on
 * three vector ports (Intel since Haswell; the shift has two of them): at most 32 bytes/clock, where the
 * unpacking form has four and 24. Two pairs of sums are enough for the one clock of latency.
 *
 * AVX2 has no byte-masked load. The up to 31 bytes at the end go through scalar registers, at the same time
 * as the vector part.
 */
#include <immintrin.h>

#include "ones_complement.h"
#include "sum_avx2.h"

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	struct sums s = sums_zero();

	for (; len >= 128; p += 128, len -= 128)
		for (unsigned int i = 0; i < 4; i++)
			add_vector(&s, i & 1, load(p + 32 * i));
	if (len & 64) {
		add_vector(&s, 0, load(p));
		add_vector(&s, 1, load(p + 32));
		p += 64;
	}
	if (len & 32) {
		add_vector(&s, 0, load(p));
		p += 32;
	}
	return csum_narrow(total(&s) + csum_tail(p, len & 31) + sum);
}
