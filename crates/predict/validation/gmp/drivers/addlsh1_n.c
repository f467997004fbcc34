/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* result = a + 2 b, n limbs. */
#include "limbs.h"

limb __gmpn_addlsh1_n(limb *result, const limb *a, const limb *b, long n);

static limb result[LIMBS_MAX], a[LIMBS_MAX], b[LIMBS_MAX];

void prepare(unsigned long n)
{
	require(n <= LIMBS_MAX);
	RANDOM(a);
	RANDOM(b);
}

void call(unsigned long n)
{
	__gmpn_addlsh1_n(result, a, b, (long)n);
}
