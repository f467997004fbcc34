/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that nobody has touched: each page faults where it is read, and again where it is written.
 *
 *     touches
 *
 * For a trace of touch_pages: a block in which a fault happens is left, and begins again where it was left, in the middle. What
 * is counted has to be what the emulator of programs counts, where there are no faults.
 */
#include "freestanding.h"

enum { PAGES = 500, PAGE = 4096 };

static volatile unsigned char memory[PAGES * PAGE];

__attribute__((noinline)) void touch_pages(void);

__attribute__((noinline)) void touch_pages(void)
{
	unsigned char sum = 0;

	for (size_t i = 0; i < PAGES; i++) {
		sum = (unsigned char)(sum + memory[i * PAGE + PAGE / 2] + i);
		memory[i * PAGE] = sum;
	}
}

_Noreturn void assay_main(uintptr_t *stack)
{
	(void)stack;
	touch_pages();
	leave(0);
}
