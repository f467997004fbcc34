// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A drop-in for libboost_context: make_fcontext, jump_fcontext and ontop_fcontext over context_switch, and the
 * numbers of boost::context::stack_traits. A program over Boost.Coroutine2 or Boost.Context's fcontext-based classes is
 * linked with this file and the library instead, and no register is lost on any of our architectures. docs are in
 * ../README.md.
 *
 * An fcontext_t is a pointer to a struct context that lies on the suspended context's own stack. What a jump
 * brings lies on the jumper's stack and is copied before anything else happens, because with ontop_fcontext the function
 * that runs on top may free that very stack.
 *
 * Compile with -fexceptions: Boost ends a coroutine early by an exception that a function on top throws, which passes
 * through jump_fcontext. Not for CONTEXT_DEBUG: Boost's contexts never finish in our sense, they are abandoned.
 */
#include "../context_switch.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef CONTEXT_DEBUG
#error "boost/fcontext.c is for release builds"
#endif

/* As in boost/context/detail/fcontext.hpp. */
typedef void *fcontext_t;
typedef struct {
	fcontext_t fctx;
	void *data;
} transfer_t;
typedef transfer_t on_top(transfer_t);

/* What a jump brings: who jumped, his data, and what is to be run on top of the one that goes on. */
struct jump {
	transfer_t transfer;
	on_top *function;
};

/* At the top of the stack of a context that make_fcontext made. */
struct made {
	struct context context;
	void (*function)(transfer_t);
};

static inline transfer_t arrive(const struct jump *arrived)
{
	const struct jump jump = *arrived;

	return jump.function ? jump.function(jump.transfer) : jump.transfer;
}

transfer_t ontop_fcontext(fcontext_t to, void *data, on_top *function)
{
	struct context self = CONTEXT_THREAD;
	struct jump jump = { { &self, data }, function };

	return arrive(context_switch(&self, to, &jump));
}

transfer_t jump_fcontext(fcontext_t to, void *data)
{
	struct context self = CONTEXT_THREAD;
	struct jump jump = { { &self, data }, NULL };

	return arrive(context_switch(&self, to, &jump));
}

static void entry(struct context *self, void *message)
{
	((struct made *)self)->function(arrive(message));
	/* As Boost's: a context function that returns ends the process. */
	_exit(0);
}

/* The context of the function on a stack that begins below `top`; NULL if it is too small. */
fcontext_t make_fcontext(void *top, size_t bytes, void (*function)(transfer_t))
{
	uintptr_t low = ((uintptr_t)top - bytes + 15) & ~(uintptr_t)15;
	struct made *made = (struct made *)(((uintptr_t)top - sizeof(*made)) & ~(uintptr_t)15);

	if (bytes < sizeof(*made) + 32 ||
	    context_create(&made->context, (void *)low, (uintptr_t)made - low, entry) != CONTEXT_OK)
		return NULL;
	made->function = function;
	return made;
}

/* Later versions of Boost reach the three through C++ functions of their namespace, whose size_t is an unsigned long or int. */
#if __SIZEOF_LONG__ == 8
#define SIZE_T_MANGLED "m"
#else
#define SIZE_T_MANGLED "j"
#endif
transfer_t jump_in_namespace(fcontext_t, void *) __asm__("_ZN5boost7context6detail13jump_fcontextEPvS2_")
	__attribute__((alias("jump_fcontext")));
transfer_t ontop_in_namespace(fcontext_t, void *,
			      on_top *) __asm__("_ZN5boost7context6detail14ontop_fcontextEPvS2_PFNS1_10transfer_tES3_E")
	__attribute__((alias("ontop_fcontext")));
fcontext_t make_in_namespace(void *, size_t,
			     void (*)(transfer_t)) __asm__("_ZN5boost7context6detail13make_fcontextEPv" SIZE_T_MANGLED
							   "PFvNS1_10transfer_tEE") __attribute__((alias("make_fcontext")));

/* boost::context::stack_traits, which its stack allocators ask. */
#define STACK_TRAIT(mangled) __asm__("_ZN5boost7context12stack_traits" mangled "Ev")
bool stack_is_unbounded(void) STACK_TRAIT("12is_unbounded");
size_t stack_page_size(void) STACK_TRAIT("9page_size");
size_t stack_default_size(void) STACK_TRAIT("12default_size");
size_t stack_minimum_size(void) STACK_TRAIT("12minimum_size");
size_t stack_maximum_size(void) STACK_TRAIT("12maximum_size");

static rlim_t stack_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_max : RLIM_INFINITY;
}

bool stack_is_unbounded(void)
{
	return stack_limit() == RLIM_INFINITY;
}

size_t stack_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

size_t stack_default_size(void)
{
	return 128 * 1024;
}

/* What glibc calls the least for a thread: a signal's frame and some calls. */
size_t stack_minimum_size(void)
{
	return 16 * 1024;
}

size_t stack_maximum_size(void)
{
	return (size_t)stack_limit();
}
