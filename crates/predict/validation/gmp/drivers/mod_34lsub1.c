/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* a modulo 2^48 - 1, three quarters of a limb, n limbs. */
#include "limbs.h"

limb __gmpn_mod_34lsub1(const limb *a, long n);

static limb a[LIMBS_MAX];

void prepare(unsigned long n)
{
	require(n <= LIMBS_MAX);
	RANDOM(a);
}

void call(unsigned long n)
{
	__gmpn_mod_34lsub1(a, (long)n);
}
