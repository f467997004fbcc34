/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with Advanced SIMD (NEON): one operation a vector.
 *
 * assay-about: uadalp, one operation a vector
 *
 * uadalp adds neighbouring unsigned elements pairwise and accumulates the sums in lanes twice as wide: on
 * 32-bit words into 64-bit lanes, a vector is one instruction, and no lane overflows before 2^31 vectors (32
 * GiB). 16 bytes/clock on a core with one pipe for it (Neoverse N1, Cortex-A7x), 32 with two. The kernel's
 * arm64 code (128-bit scalar additions) has four to eight.
 *
 * Latency: the accumulator is forwarded late, so that dependent uadalp follow each other in one clock on
 * Arm's larger cores (Neoverse N1 Software Optimization Guide, 3.15); where it is not, four accumulators
 * cover the four clocks.
 *
 * Below 64 bytes the sum is scalar. The kernel must own the vector registers (kernel_neon_begin) to call this.
 */
#include <arm_neon.h>

#include "ones_complement.h"

static inline uint64x2_t add_vector(uint64x2_t sum, const uint8_t *p)
{
	return vpadalq_u32(sum, vreinterpretq_u32_u8(vld1q_u8(p)));
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	uint64x2_t a, b, c, d;
	uint64_t total;

	if (len < 64)
		return csum_narrow(csum_tail(p, len) + sum);
	a = b = c = d = vdupq_n_u64(0);
	for (; len >= 128; p += 128, len -= 128) {
		a = add_vector(a, p);
		b = add_vector(b, p + 16);
		c = add_vector(c, p + 32);
		d = add_vector(d, p + 48);
		a = add_vector(a, p + 64);
		b = add_vector(b, p + 80);
		c = add_vector(c, p + 96);
		d = add_vector(d, p + 112);
	}
	if (len & 64) {
		a = add_vector(a, p);
		b = add_vector(b, p + 16);
		c = add_vector(c, p + 32);
		d = add_vector(d, p + 48);
		p += 64;
	}
	if (len & 32) {
		a = add_vector(a, p);
		b = add_vector(b, p + 16);
		p += 32;
	}
	if (len & 16) {
		c = add_vector(c, p);
		p += 16;
	}
	total = vaddvq_u64(vaddq_u64(vaddq_u64(a, b), vaddq_u64(c, d)));
	return csum_narrow(total + csum_tail(p, len & 15) + sum);
}
