/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Thirty-two bytes at a time: vpshufb shuffles bytes within each half of the vector by a control vector.
 *
 * assay-requires: avx2
 * assay-cflags: -mavx2
 */
#include <immintrin.h>

#include "../../byteswap.h"

void swap_buffer16(void *buffer, size_t count)
{
	const __m256i control = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
	unsigned char *element = buffer;

	for (; count >= 16; count -= 16, element += 32) {
		__m256i vector = _mm256_loadu_si256((const __m256i *)element);

		_mm256_storeu_si256((__m256i *)element, _mm256_shuffle_epi8(vector, control));
	}
	for (; count; count--, element += 2) {
		uint16_t value;

		__builtin_memcpy(&value, element, sizeof(value));
		value = __builtin_bswap16(value);
		__builtin_memcpy(element, &value, sizeof(value));
	}
}
