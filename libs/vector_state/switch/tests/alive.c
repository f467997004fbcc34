// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values that are alive over a switch of the inline policy: tests/run reads in which registers a compiler keeps them. */
#include "../context_inline.h"

typedef double vector __attribute__((vector_size(16)));

long numbers(struct context *from, struct context *to, long x, long y)
{
	long product = x * y, difference = x ^ y;

	context_switch_inline(from, to, NULL);
	return product + difference;
}

#ifdef __AVX512F__
void masks(struct context *from, struct context *to)
{
	uint16_t mask;

	__asm__ volatile("# made in %0" : "=k"(mask));
	context_switch_inline(from, to, NULL);
	__asm__ volatile("# used in %0" : : "k"(mask));
}
#endif

vector vectors(struct context *from, struct context *to, vector x, vector y)
{
	vector product = x * y, difference = x - y;

	context_switch_inline(from, to, NULL);
	return product + difference;
}
