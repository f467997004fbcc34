/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* a / d modulo 2^(64 n) for an odd d whose inverse is given: the normalised case, without a shift. */
#include "limbs.h"

void __gmpn_pi1_bdiv_q_1(limb *quotient, const limb *a, long n, limb d, limb inverse, int shift);

/* For the entry that is given no inverse, which is not called. */
unsigned char __gmp_binvert_limb_table[128];

static limb quotient[LIMBS_MAX], a[LIMBS_MAX], d, inverse;

void prepare(unsigned long n)
{
	require(n <= LIMBS_MAX);
	RANDOM(a);
	d = random_word() | 1;
	inverse = inverse_of(d);
	require(d * inverse == 1);
}

void call(unsigned long n)
{
	__gmpn_pi1_bdiv_q_1(quotient, a, (long)n, d, inverse, 0);
}
