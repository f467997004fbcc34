/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* result = a, n limbs, upwards. */
#include "limbs.h"

void __gmpn_copyi(limb *result, const limb *a, long n);

static limb result[LIMBS_MAX], a[LIMBS_MAX];

void prepare(unsigned long n)
{
	require(n <= LIMBS_MAX);
	RANDOM(a);
}

void call(unsigned long n)
{
	__gmpn_copyi(result, a, (long)n);
}
