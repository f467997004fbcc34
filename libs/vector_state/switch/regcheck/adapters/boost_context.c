// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Boost.Context's assembly, below its C++ interface. */
#include "regcheck.h"

/* As in boost/context/detail/fcontext.hpp. */
typedef void *fcontext_t;
typedef struct {
	fcontext_t fctx;
	void *data;
} transfer_t;
typedef transfer_t jump_function(fcontext_t to, void *data);
typedef fcontext_t make_function(void *stack_top, size_t bytes, void (*function)(transfer_t));

/* Boost until 1.8x exports the assembly itself; later versions hide it behind C++ functions of the same meaning. */
extern jump_function jump_fcontext __attribute__((weak));
extern make_function make_fcontext __attribute__((weak));
extern jump_function jump_in_namespace __asm__("_ZN5boost7context6detail13jump_fcontextEPvS2_") __attribute__((weak));
extern make_function make_in_namespace __asm__("_ZN5boost7context6detail13make_fcontextEPvmPFvNS1_10transfer_tEE")
	__attribute__((weak));

static jump_function *jump;
static fcontext_t first, second;
static void (*side_to_run)(void);

static void entry(transfer_t from)
{
	first = from.fctx;
	side_to_run();
}

static const char *start(void (*side)(void))
{
	make_function *make = make_fcontext ? make_fcontext : make_in_namespace;

	jump = jump_fcontext ? jump_fcontext : jump_in_namespace;
	if (!make || !jump)
		return "this build of Boost.Context exports no make_fcontext";
	side_to_run = side;
	second = make(regcheck_stack + REGCHECK_STACK_BYTES, REGCHECK_STACK_BYTES, entry);
	return second ? NULL : "make_fcontext failed";
}

static void there(void)
{
	second = jump(second, NULL).fctx;
}

static void back(void)
{
	first = jump(first, NULL).fctx;
}

const struct regcheck_adapter regcheck_adapters[] = { { "boost_context", "", start, there, back }, { 0 } };
