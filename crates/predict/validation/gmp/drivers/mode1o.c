/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* a modulo an odd d, n limbs, in the exact form that multiplies by the inverse. The inverse's first byte is looked up. */
#include "limbs.h"

limb __gmpn_modexact_1c_odd(const limb *a, long n, limb d, limb carry);

/* Of the odd bytes 1, 3, 5, ...: the inverse modulo 256. GMP's library has it as a constant. */
unsigned char __gmp_binvert_limb_table[128];

static limb a[LIMBS_MAX], d;

void prepare(unsigned long n)
{
	require(n <= LIMBS_MAX);
	RANDOM(a);
	d = random_word() | 1;
	for (unsigned int i = 0; i < COUNT(__gmp_binvert_limb_table); i++)
		__gmp_binvert_limb_table[i] = (unsigned char)inverse_of(2 * i + 1);
}

void call(unsigned long n)
{
	__gmpn_modexact_1c_odd(a, (long)n, d, 0);
}
