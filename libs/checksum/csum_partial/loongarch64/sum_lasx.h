/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The accumulators of lasx.c, which explains them; the fused copy uses them too. */
#ifndef CHECKSUM_SUM_LASX_H
#define CHECKSUM_SUM_LASX_H

#include <lasxintrin.h>
#include <lsxintrin.h>
#include <stdint.h>

struct sums {
	__m256i even[2], odd[2];
};

/*
 * A load at any alignment. As a copy it takes the displacement of its address; the intrinsic needs it as a
 * separate constant.
 */
static inline __m256i load(const uint8_t *p)
{
	__m256i v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

static inline struct sums sums_zero(void)
{
	const __m256i zero = __lasx_xvreplgr2vr_d(0);

	return (struct sums){ { zero, zero }, { zero, zero } };
}

/* Two vectors, into pair i of the sums. */
static inline __attribute__((always_inline)) void add_two_vectors(struct sums *s, unsigned int i, __m256i v, __m256i w)
{
	s->even[i] = __lasx_xvadd_d(s->even[i], __lasx_xvaddwev_d_wu(v, w));
	s->odd[i] = __lasx_xvadd_d(s->odd[i], __lasx_xvaddwod_d_wu(v, w));
}

/* One: the odd words of one vector + the even words of the other, which is the same. */
static inline __attribute__((always_inline)) void add_vector(struct sums *s, __m256i v)
{
	s->odd[1] = __lasx_xvadd_d(s->odd[1], __lasx_xvhaddw_du_wu(v, v));
}

static inline uint64_t total(const struct sums *s)
{
	__m256i lanes = __lasx_xvadd_d(__lasx_xvadd_d(s->even[0], s->even[1]), __lasx_xvadd_d(s->odd[0], s->odd[1]));

	lanes = __lasx_xvadd_d(lanes, __lasx_xvpermi_q(lanes, lanes, 0x01)); /* the 128-bit halves exchanged */
	return (uint64_t)__lasx_xvpickve2gr_d(lanes, 0) + (uint64_t)__lasx_xvpickve2gr_d(lanes, 1);
}

#endif
