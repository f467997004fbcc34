/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Thirty-two bytes at a time: vpshufb shuffles bytes within each half of the vector by a control vector.
 *
 * assay-requires: avx2
 * assay-cflags: -mavx2
 */
#include "control.h"
#include "width.h"

void AT_WIDTH(swap_buffer)(void *buffer, size_t count)
{
	const __m256i control = _mm256_broadcastsi128_si256(control_vector());
	unsigned char *element = buffer;

	for (; count >= 32 / BYTES; count -= 32 / BYTES, element += 32) {
		__m256i vector = _mm256_loadu_si256((const __m256i *)element);

		_mm256_storeu_si256((__m256i *)element, _mm256_shuffle_epi8(vector, control));
	}
	for (; count; count--, element += BYTES)
		swap_element_at(element);
}
