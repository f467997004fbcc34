/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* n inversions, each of a number that needs the one before: the latency of a call. */
#include "limbs.h"

limb __gmpn_invert_limb(limb d);

static limb x[LIMBS_MAX];
static limb volatile last;

void prepare(unsigned long n)
{
	require(n <= LIMBS_MAX);
	RANDOM(x);
}

void call(unsigned long n)
{
	limb inverse = 0;

	for (unsigned long j = 0; j < n; j++)
		inverse = __gmpn_invert_limb((inverse ^ x[j]) | (limb)1 << 63);
	last = inverse;
}
