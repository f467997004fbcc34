// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Our own switch, each policy. */
#include "regcheck.h"

#include "../../context_inline.h"

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

static const char *start_leased(void (*side)(void))
{
	const char *why_not = start(side);

	context_lease(&first, CONTEXT_LEASE_ALWAYS);
	context_lease(&second, CONTEXT_LEASE_ALWAYS);
	return why_not;
}

static void full_there(void)
{
	context_switch(&first, &second, NULL);
}

static void full_back(void)
{
	context_switch(&second, &first, NULL);
}

static void used_there(void)
{
	context_switch_used(&first, &second, NULL);
}

static void used_back(void)
{
	context_switch_used(&second, &first, NULL);
}

/* A lease for this switch alone, renewed each time: takes the path that counts down. */
static void counted_there(void)
{
	context_lease(&first, 1);
	context_switch_used(&first, &second, NULL);
}

static void counted_back(void)
{
	context_lease(&second, 1);
	context_switch_used(&second, &first, NULL);
}

/* The two sides use different policies: each frame says what it holds. */
static const char *start_mixed(void (*side)(void))
{
	const char *why_not = start(side);

	context_lease(&second, CONTEXT_LEASE_ALWAYS);
	return why_not;
}

static const char *start_inline(void (*side)(void))
{
	side_to_run = side;
	first = (struct context)CONTEXT_THREAD;
	return context_create_inline(&second, regcheck_stack, REGCHECK_STACK_BYTES, entry) == CONTEXT_OK ? NULL : "no stack";
}

static void inline_there(void)
{
	context_switch_inline(&first, &second, NULL);
}

static void inline_back(void)
{
	context_switch_inline(&second, &first, NULL);
}

#ifdef __powerpc__
static void vrsave_there(void)
{
	context_switch_vrsave(&first, &second, NULL);
}

static void vrsave_back(void)
{
	context_switch_vrsave(&second, &first, NULL);
}
#endif

const struct regcheck_adapter regcheck_adapters[] = {
	{ "context_switch", "full", start, full_there, full_back },
	{ "context_switch", "used", start_leased, used_there, used_back },
	{ "context_switch", "used, counted", start, counted_there, counted_back },
#ifdef __powerpc__
	{ "context_switch", "vrsave", start, vrsave_there, vrsave_back },
#endif
	{ "context_switch", "full and used", start_mixed, full_there, used_back },
	{ "context_switch", "inline", start_inline, inline_there, inline_back },
	{ 0 },
};
