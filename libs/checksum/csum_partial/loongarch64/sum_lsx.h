/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The accumulators of lsx.c, which explains them; the fused copy uses them too. */
#ifndef CHECKSUM_SUM_LSX_H
#define CHECKSUM_SUM_LSX_H

#include <lsxintrin.h>
#include <stdint.h>

struct sums {
	__m128i even[2], odd[2];
};

/*
 * A load at any alignment. As a copy it takes the displacement of its address; the intrinsic needs it as a
 * separate constant.
 */
static inline __m128i load(const uint8_t *p)
{
	__m128i v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

static inline struct sums sums_zero(void)
{
	const __m128i zero = __lsx_vreplgr2vr_d(0);

	return (struct sums){ { zero, zero }, { zero, zero } };
}

/* Two vectors, into pair i of the sums. */
static inline __attribute__((always_inline)) void add_two_vectors(struct sums *s, unsigned int i, __m128i v, __m128i w)
{
	s->even[i] = __lsx_vadd_d(s->even[i], __lsx_vaddwev_d_wu(v, w));
	s->odd[i] = __lsx_vadd_d(s->odd[i], __lsx_vaddwod_d_wu(v, w));
}

/* One: the odd words of one vector + the even words of the other, which is the same. */
static inline __attribute__((always_inline)) void add_vector(struct sums *s, __m128i v)
{
	s->odd[1] = __lsx_vadd_d(s->odd[1], __lsx_vhaddw_du_wu(v, v));
}

static inline uint64_t total(const struct sums *s)
{
	__m128i lanes = __lsx_vadd_d(__lsx_vadd_d(s->even[0], s->even[1]), __lsx_vadd_d(s->odd[0], s->odd[1]));

	return (uint64_t)__lsx_vpickve2gr_d(lanes, 0) + (uint64_t)__lsx_vpickve2gr_d(lanes, 1);
}

#endif
