/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with LASX, LoongArch's 256-bit vectors: two operations a vector.
 *
 * assay-about: 256-bit: widening additions of even and odd words
 * assay-requires: lasx
 *
 * LoongArch has no carry flag, and its scalar forms need four instructions for 8 bytes: 8 bytes/clock at best on the four-wide LA464. LASX
 * has widening additions that take their operands from the even or the odd elements: xvaddwev.d.wu and xvaddwod.d.wu on two vectors
 * leave the sums of their 32-bit words, two by two, in 64-bit lanes, with room for 2^31 more such sums. So a pair of vectors takes two
 * widening additions and two into the accumulators: two operations for 32 bytes. The LA464 has two 256-bit pipes, each of which can
 * start one addition with a latency of one clock: 32 bytes/clock, with one load for each (of two). The LA664 has four: 64 bytes/clock.
 *
 * For 64 bytes, four operations, two loads: six instructions of the four-wide front end's eight slots in two clocks; the rest is room
 * for the loop.
 *
 * Below 64 bytes the sum is scalar. Loads are unaligned, which the 3A5000 and 3A6000 support in hardware (cpucfg word 1, bit UAL).
 * The kernel must own the vector registers (kernel_fpu_begin) to call this.
 */
#include <lasxintrin.h>
#include <lsxintrin.h>

#include "ones_complement.h"

struct sums {
	__m256i even[2], odd[2];
};

/* A load at any alignment. As a copy it takes the displacement of its address; the intrinsic needs it as a separate constant. */
static inline __m256i load(const uint8_t *p)
{
	__m256i v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

/* The 64 bytes at p, into pair i of the sums. */
static inline __attribute__((always_inline)) void add_two_vectors(struct sums *s, unsigned int i, const uint8_t *p)
{
	__m256i v = load(p), w = load(p + 32);

	s->even[i] = __lasx_xvadd_d(s->even[i], __lasx_xvaddwev_d_wu(v, w));
	s->odd[i] = __lasx_xvadd_d(s->odd[i], __lasx_xvaddwod_d_wu(v, w));
}

static inline uint64_t total(const struct sums *s)
{
	__m256i lanes = __lasx_xvadd_d(__lasx_xvadd_d(s->even[0], s->even[1]), __lasx_xvadd_d(s->odd[0], s->odd[1]));

	lanes = __lasx_xvadd_d(lanes, __lasx_xvpermi_q(lanes, lanes, 0x01)); /* the 128-bit halves exchanged */
	return (uint64_t)__lasx_xvpickve2gr_d(lanes, 0) + (uint64_t)__lasx_xvpickve2gr_d(lanes, 1);
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	struct sums s;

	if (len < 64)
		return csum_narrow(csum_tail(p, len) + sum);
	s.even[0] = s.even[1] = s.odd[0] = s.odd[1] = __lasx_xvreplgr2vr_d(0);
	for (; len >= 256; p += 256, len -= 256)
		for (unsigned int i = 0; i < 4; i++)
			add_two_vectors(&s, i & 1, p + 64 * i);
	if (len & 128) {
		add_two_vectors(&s, 0, p);
		add_two_vectors(&s, 1, p + 64);
		p += 128;
	}
	if (len & 64) {
		add_two_vectors(&s, 0, p);
		p += 64;
	}
	if (len & 32) {
		__m256i v = load(p);

		/* Odd words of one vector + even words of the other, which is the same. */
		s.odd[1] = __lasx_xvadd_d(s.odd[1], __lasx_xvhaddw_du_wu(v, v));
		p += 32;
	}
	return csum_narrow(total(&s) + csum_tail(p, len & 31) + sum);
}
