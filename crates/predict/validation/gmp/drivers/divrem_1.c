/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Quotient and remainder of a by d, n limbs by one whose highest bit is set: the normalised case. */
#include "limbs.h"

limb __gmpn_divrem_1(limb *quotient, long fraction_limbs, const limb *a, long n, limb d);

static limb quotient[LIMBS_MAX], a[LIMBS_MAX], d;

void prepare(unsigned long n)
{
	require(n <= LIMBS_MAX);
	RANDOM(a);
	d = random_word() | (limb)1 << 63;
}

void call(unsigned long n)
{
	__gmpn_divrem_1(quotient, 0, a, (long)n, d);
}
