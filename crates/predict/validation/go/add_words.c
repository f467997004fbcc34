/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Go's vector addition: z = x + y, n words. */
#include "driver.h"

#define WORDS_MAX 1000

void add_words(uint64_t *z, const uint64_t *x, const uint64_t *y, unsigned long n);

static uint64_t z[WORDS_MAX], x[WORDS_MAX], y[WORDS_MAX];

void prepare(unsigned long n)
{
	require(n > 0 && n <= WORDS_MAX);
	RANDOM(x);
	RANDOM(y);
}

void call(unsigned long n)
{
	add_words(z, x, y, n);
}
