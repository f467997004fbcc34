// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Loops of every kind that the tracer has to fold or must not fold: nested loops with constant and with changing inner
// counts, bodies of several blocks in a pattern, conditions without a pattern, irregular addresses, calls in loops,
// recursion.

#include "start.h"

static uint32_t seed = 1;
static uint64_t data[4096];
static unsigned sink;

static unsigned noise(void)
{
	seed = seed * 1103515245 + 12345;
	return seed >> 16;
}

__attribute__((noinline)) static void nested(unsigned outer, unsigned middle, unsigned inner)
{
	for (unsigned i = 0; i < outer; i++)
		for (unsigned j = 0; j < middle; j++)
			for (volatile uint64_t *p = data + 4 * i + j, *end = p + inner; p < end; p++)
				*p += i;
}

__attribute__((noinline)) static void triangle(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (volatile uint64_t *p = data, *end = data + i; p < end; p++)
			*p = i;
}

__attribute__((noinline)) static void pattern(unsigned n, unsigned period)
{
	for (unsigned i = 0; i < n; i++) {
		volatile uint64_t *p = data + i % 512;

		if (i % period == 0)
			p[1] = i;
		else if (i % 3 == 1)
			p[2] += i;
		else
			sink += (unsigned)p[3];
	}
}

__attribute__((noinline)) static void random_walk(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		volatile uint64_t *p = data + noise() % 4096;

		if (noise() & 1)
			*p = i;
		else
			sink += (unsigned)*p;
		while (noise() % 4 == 0)
			sink++;
	}
}

__attribute__((noinline)) static unsigned recursion(unsigned n)
{
	volatile unsigned keep = n;

	return n < 2 ? n : recursion(n - 1) + recursion(n - 2) + keep;
}

int run(void)
{
	nested(20, 10, 100);
	nested(3, 2, 3);
	nested(1, 1, 4000);
	triangle(200);
	for (unsigned period = 1; period < 80; period += 7)
		pattern(2000, period);
	random_walk(20000);
	for (unsigned i = 0; i < 50; i++)
		recursion(8);
	return 0;
}
