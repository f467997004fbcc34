/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Greatest common divisors of 512 pairs of odd numbers of so many bits, the same in each call, as a benchmark's repetition
 * has them: a branch predictor may learn when some of the loops end.
 */
#include "limbs.h"

limb __gmpn_gcd_11(limb u, limb v);

static limb pairs[512][2];
static limb volatile last;

void prepare(unsigned long bits)
{
	require(bits >= 2 && bits <= 64);
	for (unsigned int i = 0; i < COUNT(pairs); i++) {
		pairs[i][0] = random_word() >> (64 - bits) | 1;
		pairs[i][1] = random_word() >> (64 - bits) | 1;
	}
}

void call(unsigned long bits)
{
	limb sum = 0;

	(void)bits;
	for (unsigned int i = 0; i < COUNT(pairs); i++)
		sum += __gmpn_gcd_11(pairs[i][0], pairs[i][1]);
	last = sum;
}
