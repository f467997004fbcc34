/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sixty-four bytes at a time, and the rest in one masked step: masked bytes are neither read nor written, so no tail loop.
 *
 * assay-requires: avx512
 * assay-cflags: -mavx512f -mavx512bw
 */
#include "control.h"
#include "width.h"

void AT_WIDTH(swap_buffer)(void *buffer, size_t count)
{
	const __m512i control = _mm512_broadcast_i32x4(control_vector());
	unsigned char *element = buffer;

	for (; count >= 64 / BYTES; count -= 64 / BYTES, element += 64) {
		__m512i vector = _mm512_loadu_si512(element);

		_mm512_storeu_si512(element, _mm512_shuffle_epi8(vector, control));
	}
	if (count) {
		__mmask64 rest = (1ull << (BYTES * count)) - 1;
		__m512i vector = _mm512_maskz_loadu_epi8(rest, element);

		_mm512_mask_storeu_epi8(element, rest, _mm512_shuffle_epi8(vector, control));
	}
}
