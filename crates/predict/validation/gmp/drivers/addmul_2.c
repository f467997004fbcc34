/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* result += a * v, n limbs by two; GMP counts the cycles of one of the two products. */
#include "limbs.h"

limb __gmpn_addmul_2(limb *result, const limb *a, long n, const limb *v);

static limb result[LIMBS_MAX + 1], a[LIMBS_MAX], v[2];

void prepare(unsigned long n)
{
	require(n <= LIMBS_MAX);
	RANDOM(result);
	RANDOM(a);
	RANDOM(v);
}

void call(unsigned long n)
{
	__gmpn_addmul_2(result, a, (long)n, v);
}
