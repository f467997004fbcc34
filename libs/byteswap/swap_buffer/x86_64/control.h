/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The control vector of pshufb for each width: for each byte of sixteen, where it comes from. */
#include <immintrin.h>

static inline __m128i control_vector(void)
{
#if BITS == 16
	return _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
#elif BITS == 32
	return _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
#else
	return _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
#endif
}
