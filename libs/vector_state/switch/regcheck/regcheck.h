/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regcheck: does a context switch keep what the ABI says a call keeps? This header is what an adapter needs.
 *
 * Two sides, each on a stack of its own, fill every register that a call preserves with values of their own, switch to
 * each other and compare. An adapter says how to make the second side and how to switch; regcheck does the rest. To put
 * another library to the test, write a file like adapters/ucontext.c and give it to `./assay regcheck --adapter FILE`.
 */
#ifndef REGCHECK_H
#define REGCHECK_H

#include <stddef.h>
#include <stdint.h>

struct regcheck_adapter {
	/* Names for the table. policy is "" where a library has one way only. */
	const char *library, *policy;
	/* Makes a second side that will run `side`, which never returns. NULL, or why it cannot be made. */
	const char *(*start)(void (*side)(void));
	/* Called on the first side: goes to the second; returns when that comes back. */
	void (*there)(void);
	/* Called on the second side: goes back to the first; returns when that comes again. */
	void (*back)(void);
};

/* Defined by the adapter; ends with an entry whose library is NULL. */
extern const struct regcheck_adapter regcheck_adapters[];

/* A stack for the second side; its lowest address is a multiple of 4096. */
#define REGCHECK_STACK_BYTES 65536
extern unsigned char regcheck_stack[REGCHECK_STACK_BYTES];

#endif
