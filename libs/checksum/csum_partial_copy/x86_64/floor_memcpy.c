/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Floor: a copy without a sum, to measure what the sum costs. As it returns no sum, its check has to fail.
 *
 * assay-about: no sum: what a copy alone costs
 * assay-peer: memcpy alone (the method of glibc's: vectors, then rep movsb from 4 KiB)
 * assay-requires: avx512
 * assay-expect: fail
 *
 * libc's memcpy cannot stand in a freestanding program. This does what glibc's does on a CPU with AVX-512 and
 * fast "rep movsb" (ERMS): unaligned vectors below 4 KiB, a destination aligned to a vector first from there
 * on, microcoded rep movsb for the rest. bench/run_copy_vs_memcpy compares it with libc's.
 */
#include <immintrin.h>

#include "ones_complement.h"

#define REP_MOVSB_BYTES_MIN 4096

static void copy_vectors(const uint8_t *src, uint8_t *dst, size_t len)
{
	for (; len >= 128; src += 128, dst += 128, len -= 128) {
		__m512i v = _mm512_loadu_si512(src), w = _mm512_loadu_si512(src + 64);

		_mm512_storeu_si512(dst, v);
		_mm512_storeu_si512(dst + 64, w);
	}
	if (len >= 64) {
		_mm512_storeu_si512(dst, _mm512_loadu_si512(src));
		src += 64;
		dst += 64;
		len -= 64;
	}
	if (len) {
		__mmask64 mask = _bzhi_u64(~0ULL, (unsigned int)len);

		_mm512_mask_storeu_epi8(dst, mask, _mm512_maskz_loadu_epi8(mask, src));
	}
}

uint32_t csum_partial_copy(const void *src, void *dst, int length)
{
	size_t len = (unsigned int)length, head = -(uintptr_t)dst & 63;

	if (len < REP_MOVSB_BYTES_MIN) {
		copy_vectors(src, dst, len);
		return 0;
	}
	_mm512_storeu_si512(dst, _mm512_loadu_si512(src));
	src = (const uint8_t *)src + head;
	dst = (uint8_t *)dst + head;
	len -= head;
	__asm__ volatile("rep movsb" : "+S"(src), "+D"(dst), "+c"(len) : : "memory");
	return 0;
}
