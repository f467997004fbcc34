/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass with AVX-512 VNNI.
 *
 * assay-about: fused 512-bit copy, bias and one vpdpwssd a vector
 * assay-requires: avx512_vnni
 *
 * As avx512.c, with the sum of ../../csum_partial/x86_64/avx512_vnni_words.c: two operations for 64 bytes on
 * two ports, one clock, which is what the store takes anyway. So in the first-level cache too the sum is nearly
 * hidden by the copy. Four vectors an iteration suffice: at one store a clock, each accumulator is used again four
 * clocks later at the earliest.
 */
#include <immintrin.h>

#include "../../csum_partial/x86_64/sum_avx512_vnni_words.h"
#include "ones_complement.h"

#define ALIGN_BYTES_MIN 512

static inline __attribute__((always_inline)) void copy_vector(struct sums *s, unsigned int i, const uint8_t *src, uint8_t *dst)
{
	__m512i v = _mm512_loadu_si512(src);

	_mm512_storeu_si512(dst, v);
	add_vector(s, i, v);
}

/* len <= FLUSH_BYTES; exact. */
static inline __attribute__((always_inline)) uint32_t copy_chunk(const uint8_t *src, uint8_t *dst, size_t len)
{
	struct sums s = sums_biased((len + 63) / 64);

	for (; len >= 256; src += 256, dst += 256, len -= 256)
		for (unsigned int i = 0; i < 4; i++)
			copy_vector(&s, i, src + 64 * i, dst + 64 * i);
	if (len & 128) {
		copy_vector(&s, 4, src, dst);
		copy_vector(&s, 5, src + 64, dst + 64);
		src += 128;
		dst += 128;
	}
	if (len & 64) {
		copy_vector(&s, 6, src, dst);
		src += 64;
		dst += 64;
	}
	if (len & 63) {
		__mmask64 mask = _bzhi_u64(~0ULL, len & 63);
		__m512i v = _mm512_maskz_loadu_epi8(mask, src);

		_mm512_mask_storeu_epi8(dst, mask, v);
		add_vector(&s, 7, v);
	}
	return total(&s);
}

static uint64_t copy(const uint8_t *src, uint8_t *dst, size_t len)
{
	uint64_t all = 0;

	for (; len > FLUSH_BYTES; src += FLUSH_BYTES, dst += FLUSH_BYTES, len -= FLUSH_BYTES)
		all += copy_chunk(src, dst, FLUSH_BYTES);
	return all + copy_chunk(src, dst, len);
}

uint32_t csum_partial_copy(const void *src, void *dst, int length)
{
	size_t len = (unsigned int)length, head = -(uintptr_t)dst & 63;
	struct sums first = sums_biased(1);
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
	return csum_narrow((uint64_t)total(&first) + rest + 0xffffffff);
}
