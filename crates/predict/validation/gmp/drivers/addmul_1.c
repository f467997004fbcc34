/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* result += a * v, n limbs by one. */
#include "limbs.h"

limb __gmpn_addmul_1(limb *result, const limb *a, long n, limb v);

static limb result[LIMBS_MAX], a[LIMBS_MAX], v;

void prepare(unsigned long n)
{
	require(n <= LIMBS_MAX);
	RANDOM(result);
	RANDOM(a);
	v = random_word();
}

void call(unsigned long n)
{
	__gmpn_addmul_1(result, a, (long)n, v);
}
