// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Switches that must fail: an adapter of regcheck for each way in breaks.h, whose policy is the name of the register that
 * it loses. regcheck has to name this one and no other. The register is lost on the way to the second side, so only the
 * first side can find the loss.
 */
#include "../regcheck/regcheck.h"

#include "../context_switch.h"
#include "breaks.h"

static struct context first = CONTEXT_THREAD, second;
static void (*side_to_run)(void);

static void entry(struct context *self, void *message)
{
	(void)self;
	(void)message;
	side_to_run();
}

static const char *start(void (*side)(void))
{
	side_to_run = side;
	first = (struct context)CONTEXT_THREAD;
	return context_create(&second, regcheck_stack, REGCHECK_STACK_BYTES, entry) == CONTEXT_OK ? NULL : "no stack";
}

static void back(void)
{
	context_switch(&second, &first, NULL);
}

#define DISPATCH(name, statement) \
	if (number++ == wanted) \
		statement;

static int wanted;

/* Kept out of line and free of preserved registers of its own: what it breaks has to reach regcheck. */
static __attribute__((noinline)) void there(void)
{
	int number = 0;

	context_switch(&first, &second, NULL);
	BREAKS(DISPATCH)
}

/* The number of starts tells which entry of the table is being tested: regcheck takes the adapters in order. */
static const char *start_next(void (*side)(void))
{
	static int started;

	wanted = started++;
	return start(side);
}

#define ADAPTER(name, statement) { "broken", name, start_next, there, back },

const struct regcheck_adapter regcheck_adapters[] = { BREAKS(ADAPTER){ 0 } };
