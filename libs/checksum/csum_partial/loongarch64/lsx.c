/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with LSX, LoongArch's 128-bit vectors: two operations a vector.
 *
 * assay-about: 128-bit: widening additions of even and odd words
 * assay-requires: lsx
 *
 * The method of lasx.c at half the width, for cores without LASX (Loongson 2K1500, 2K2000 and their line) and for lengths that do not
 * fill wider vectors: two widening additions (even words, odd words) and two accumulations for 32 bytes. 16 bytes/clock on two pipes.
 */
#include <lsxintrin.h>

#include "ones_complement.h"

struct sums {
	__m128i even[2], odd[2];
};

/* A load at any alignment. As a copy it takes the displacement of its address; the intrinsic needs it as a separate constant. */
static inline __m128i load(const uint8_t *p)
{
	__m128i v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

/* The 32 bytes at p, into pair i of the sums. */
static inline __attribute__((always_inline)) void add_two_vectors(struct sums *s, unsigned int i, const uint8_t *p)
{
	__m128i v = load(p), w = load(p + 16);

	s->even[i] = __lsx_vadd_d(s->even[i], __lsx_vaddwev_d_wu(v, w));
	s->odd[i] = __lsx_vadd_d(s->odd[i], __lsx_vaddwod_d_wu(v, w));
}

static inline uint64_t total(const struct sums *s)
{
	__m128i lanes = __lsx_vadd_d(__lsx_vadd_d(s->even[0], s->even[1]), __lsx_vadd_d(s->odd[0], s->odd[1]));

	return (uint64_t)__lsx_vpickve2gr_d(lanes, 0) + (uint64_t)__lsx_vpickve2gr_d(lanes, 1);
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	struct sums s;

	if (len < 64)
		return csum_narrow(csum_tail(p, len) + sum);
	s.even[0] = s.even[1] = s.odd[0] = s.odd[1] = __lsx_vreplgr2vr_d(0);
	for (; len >= 128; p += 128, len -= 128)
		for (unsigned int i = 0; i < 4; i++)
			add_two_vectors(&s, i & 1, p + 32 * i);
	if (len & 64) {
		add_two_vectors(&s, 0, p);
		add_two_vectors(&s, 1, p + 32);
		p += 64;
	}
	if (len & 32) {
		add_two_vectors(&s, 0, p);
		p += 32;
	}
	if (len & 16) {
		__m128i v = load(p);

		/* Odd words of one vector + even words of the other, which is the same. */
		s.odd[1] = __lsx_vadd_d(s.odd[1], __lsx_vhaddw_du_wu(v, v));
		p += 16;
	}
	return csum_narrow(total(&s) + csum_tail(p, len & 15) + sum);
}
