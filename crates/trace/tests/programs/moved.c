// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// A position-independent program: the address of the region is known only once the program is loaded.

#include "start.h"

static volatile unsigned cell;

__attribute__((noinline)) void region(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cell += i;
}

int run(void)
{
	region(5);
	region(6);
	return 0;
}
