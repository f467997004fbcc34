/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* result = a << 13, n limbs. */
#include "limbs.h"

limb __gmpn_lshift(limb *result, const limb *a, long n, unsigned int count);

static limb result[LIMBS_MAX], a[LIMBS_MAX];

void prepare(unsigned long n)
{
	require(n <= LIMBS_MAX);
	RANDOM(a);
}

void call(unsigned long n)
{
	__gmpn_lshift(result, a, (long)n, 13);
}
