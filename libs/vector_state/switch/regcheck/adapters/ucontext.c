// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The C library's swapcontext. */
#include "regcheck.h"

#include <ucontext.h>

static ucontext_t first, second;

static const char *start(void (*side)(void))
{
	if (getcontext(&second) != 0)
		return "getcontext failed";
	second.uc_stack.ss_sp = regcheck_stack;
	second.uc_stack.ss_size = REGCHECK_STACK_BYTES;
	makecontext(&second, side, 0);
	return NULL;
}

static void there(void)
{
	swapcontext(&first, &second);
}

static void back(void)
{
	swapcontext(&second, &first);
}

const struct regcheck_adapter regcheck_adapters[] = { { "ucontext", "", start, there, back }, { 0 } };
