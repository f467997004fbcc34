/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass with AVX-512.
 *
 * assay-about: fused 512-bit copy, three operations a vector
 * assay-requires: avx512
 *
 * A copy that also sums reads the data once instead of twice. With add-with-carry that gains little: a load,
 * a store and an addition with its carry do not fit a clock ("not worthwhile", David Laight, 2023). With
 * vectors the additions have ports of their own: for 64 bytes one load, one store and three operations
 * (../../csum_partial/x86_64/avx512.c) on two vector ports, 1.5 clocks, against one clock for the store. From
 * the second-level cache on the sum is hidden altogether.
 *
 * A store that crosses a cache line costs two. So a long copy first stores one vector where the destination
 * begins and goes on at its first line boundary, storing up to 63 bytes twice and summing them once. If that
 * boundary is an odd number of bytes away, the words after it straddle the true ones, and their sum's bytes
 * are exchanged at the end.
 *
 * The sum starts from 0xffffffff, see checksum.h. Source and destination must not overlap.
 */
#include <immintrin.h>

#include "../../csum_partial/x86_64/sum_avx512.h"
#include "ones_complement.h"

#define ALIGN_BYTES_MIN 512

static inline __attribute__((always_inline)) void copy_vector(struct sums *s, unsigned int i, const uint8_t *src, uint8_t *dst)
{
	__m512i v = _mm512_loadu_si512(src);

	_mm512_storeu_si512(dst, v);
	add_vector(s, i, v);
}

static uint64_t copy(const uint8_t *src, uint8_t *dst, size_t len)
{
	struct sums s = sums_zero();

	for (; len >= 256; src += 256, dst += 256, len -= 256)
		for (unsigned int i = 0; i < 4; i++)
			copy_vector(&s, i & 1, src + 64 * i, dst + 64 * i);
	if (len & 128) {
		copy_vector(&s, 0, src, dst);
		copy_vector(&s, 1, src + 64, dst + 64);
		src += 128;
		dst += 128;
	}
	if (len & 64) {
		copy_vector(&s, 0, src, dst);
		src += 64;
		dst += 64;
	}
	if (len & 63) {
		__mmask64 mask = _bzhi_u64(~0ULL, len & 63);
		__m512i v = _mm512_maskz_loadu_epi8(mask, src);

		_mm512_mask_storeu_epi8(dst, mask, v);
		add_vector(&s, 1, v);
	}
	return total(&s);
}

uint32_t csum_partial_copy(const void *src, void *dst, int length)
{
	size_t len = (unsigned int)length, head = -(uintptr_t)dst & 63;
	struct sums first = sums_zero();
	uint32_t rest;
	__m512i v;

	if (len < ALIGN_BYTES_MIN || head == 0)
		return csum_narrow(copy(src, dst, len) + 0xffffffff);
	v = _mm512_loadu_si512(src);
	_mm512_storeu_si512(dst, v);
	add_vector(&first, 0, _mm512_maskz_mov_epi8(_bzhi_u64(~0ULL, (unsigned int)head), v));
	rest = csum_narrow(copy((const uint8_t *)src + head, (uint8_t *)dst + head, len - head));
	if (head & 1)
		rest = csum_exchange_bytes(rest);
	return csum_narrow(total(&first) + rest + 0xffffffff);
}
