/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass with AVX2.
 *
 * assay-about: fused 256-bit copy, three operations a vector
 * assay-requires: avx2
 *
 * As avx512.c at half the width: for 32 bytes a load, a store and three operations on three vector ports, one
 * clock. The destination is aligned to 32 bytes in the same way, its head summed by scalar words; so is what
 * the last vector leaves.
 */
#include <immintrin.h>

#include "../../csum_partial/x86_64/sum_avx2.h"
#include "ones_complement.h"

#define ALIGN_BYTES_MIN 512

static inline __attribute__((always_inline)) void copy_vector(struct sums *s, unsigned int i, const uint8_t *src, uint8_t *dst)
{
	__m256i v = load(src);

	_mm256_storeu_si256((__m256i *)dst, v);
	add_vector(s, i, v);
}

static uint64_t copy(const uint8_t *src, uint8_t *dst, size_t len)
{
	struct sums s = sums_zero();

	for (; len >= 128; src += 128, dst += 128, len -= 128)
		for (unsigned int i = 0; i < 4; i++)
			copy_vector(&s, i & 1, src + 32 * i, dst + 32 * i);
	if (len & 64) {
		copy_vector(&s, 0, src, dst);
		copy_vector(&s, 1, src + 32, dst + 32);
		src += 64;
		dst += 64;
	}
	if (len & 32) {
		copy_vector(&s, 0, src, dst);
		src += 32;
		dst += 32;
	}
	return total(&s) + csum_copy_tail(src, dst, len & 31);
}

uint32_t csum_partial_copy(const void *src, void *dst, int length)
{
	size_t len = (unsigned int)length, head = -(uintptr_t)dst & 31;
	uint64_t first;
	uint32_t rest;

	if (len < ALIGN_BYTES_MIN || head == 0)
		return csum_narrow(copy(src, dst, len) + 0xffffffff);
	first = csum_tail(src, head);
	_mm256_storeu_si256((__m256i *)dst, load(src));
	rest = csum_narrow(copy((const uint8_t *)src + head, (uint8_t *)dst + head, len - head));
	if (head & 1)
		rest = csum_exchange_bytes(rest);
	return csum_narrow(first + rest + 0xffffffff);
}
