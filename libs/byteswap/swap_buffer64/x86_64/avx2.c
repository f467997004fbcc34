/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Thirty-two bytes at a time: vpshufb shuffles bytes within each half of the vector by a control vector.
 *
 * assay-requires: avx2
 * assay-cflags: -mavx2
 */
#include <immintrin.h>

#include "../../byteswap.h"

void swap_buffer64(void *buffer, size_t count)
{
	const __m256i control = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
	unsigned char *element = buffer;

	for (; count >= 4; count -= 4, element += 32) {
		__m256i vector = _mm256_loadu_si256((const __m256i *)element);

		_mm256_storeu_si256((__m256i *)element, _mm256_shuffle_epi8(vector, control));
	}
	for (; count; count--, element += 8) {
		uint64_t value;

		__builtin_memcpy(&value, element, sizeof(value));
		value = __builtin_bswap64(value);
		__builtin_memcpy(element, &value, sizeof(value));
	}
}
