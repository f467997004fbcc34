/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Touches fresh memory: each page faults when it is read, and again when it is written.
 *
 *     touches
 *
 * For a trace of touch_pages: a fault leaves a block in the middle, and execution resumes there. The counts have to be
 * the same as in QEMU's user mode, where no faults are seen.
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
