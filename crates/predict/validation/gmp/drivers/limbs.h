/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the drivers of GMP's routines share: random operands of up to 1000 limbs, in the first-level cache after the first
 * call, each at an address of its own in a cache line's set.
 */
#ifndef LIMBS_H
#define LIMBS_H

#include "driver.h"

typedef uint64_t limb;

#define LIMBS_MAX 1000

/* 1/odd modulo 2^64, by Newton's iteration, which doubles the right bits: five of them to begin with. */
static inline limb inverse_of(limb odd)
{
	limb inverse = (3 * odd) ^ 2;

	for (int step = 0; step < 4; step++)
		inverse *= 2 - odd * inverse;
	return inverse;
}

#endif
