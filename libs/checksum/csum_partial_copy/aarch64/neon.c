/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass with Advanced SIMD (NEON).
 *
 * assay-about: fused 128-bit copy with uadalp
 *
 * One load, one store and one uadalp for 16 bytes (../../csum_partial/aarch64/neon.c): the sum has a pipe of
 * its own and hides behind the store. Below 64 bytes, scalar. The sum starts from 0xffffffff, see checksum.h.
 */
#include <arm_neon.h>

#include "ones_complement.h"

static inline uint64x2_t copy_vector(uint64x2_t sum, const uint8_t *src, uint8_t *dst)
{
	uint8x16_t v = vld1q_u8(src);

	vst1q_u8(dst, v);
	return vpadalq_u32(sum, vreinterpretq_u32_u8(v));
}

uint32_t csum_partial_copy(const void *source, void *destination, int length)
{
	size_t len = (unsigned int)length;
	const uint8_t *src = source;
	uint8_t *dst = destination;
	uint64x2_t a, b, c, d;
	uint64_t total;

	if (len < 64)
		return csum_narrow(csum_copy_tail(src, dst, len) + 0xffffffff);
	a = b = c = d = vdupq_n_u64(0);
	for (; len >= 64; src += 64, dst += 64, len -= 64) {
		a = copy_vector(a, src, dst);
		b = copy_vector(b, src + 16, dst + 16);
		c = copy_vector(c, src + 32, dst + 32);
		d = copy_vector(d, src + 48, dst + 48);
	}
	for (; len >= 16; src += 16, dst += 16, len -= 16)
		a = copy_vector(a, src, dst);
	total = vaddvq_u64(vaddq_u64(vaddq_u64(a, b), vaddq_u64(c, d)));
	return csum_narrow(total + csum_copy_tail(src, dst, len) + 0xffffffff);
}
