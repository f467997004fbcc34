/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass with LASX.
 *
 * assay-about: fused 256-bit copy, widening additions of even and odd words
 * assay-requires: lasx
 *
 * The sum is that of ../../csum_partial/loongarch64/lasx.c: two operations a vector on two pipes, one clock,
 * which is what the one store port of the LA464 takes for it anyway. Below 64 bytes, scalar. The sum starts
 * from 0xffffffff, see checksum.h.
 */
#include "../../csum_partial/loongarch64/sum_lasx.h"
#include "ones_complement.h"

static inline __attribute__((always_inline)) void copy_two_vectors(struct sums *s, unsigned int i, const uint8_t *src,
								   uint8_t *dst)
{
	__m256i v = load(src), w = load(src + 32);

	__builtin_memcpy(dst, &v, sizeof(v));
	__builtin_memcpy(dst + 32, &w, sizeof(w));
	add_two_vectors(s, i, v, w);
}

uint32_t csum_partial_copy(const void *source, void *destination, int length)
{
	size_t len = (unsigned int)length;
	const uint8_t *src = source;
	uint8_t *dst = destination;
	struct sums s = sums_zero();

	if (len < 64)
		return csum_narrow(csum_copy_tail(src, dst, len) + 0xffffffff);
	for (; len >= 128; src += 128, dst += 128, len -= 128) {
		copy_two_vectors(&s, 0, src, dst);
		copy_two_vectors(&s, 1, src + 64, dst + 64);
	}
	if (len >= 64) {
		copy_two_vectors(&s, 0, src, dst);
		src += 64;
		dst += 64;
		len -= 64;
	}
	return csum_narrow(total(&s) + csum_copy_tail(src, dst, len) + 0xffffffff);
}
