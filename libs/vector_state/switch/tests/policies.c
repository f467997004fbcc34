// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What contexts do apart from registers: messages arrive, generators end, a context's return goes to its resumer, stacks
 * are used again, the used policy's lease runs out after the number of switches it was given, a masked floating-point exception
 * traps in no other context, and a switch to a finished context faults in a release build. Prints what is wrong; status 0 or 1.
 */
#include "bare.h"

#include "../context_inline.h"

static _Alignas(16) unsigned char stacks[3][16384];
static struct context main_context = CONTEXT_THREAD, contexts[3];
static int failures;

#ifdef CONTEXT_DEBUG
_Noreturn void context_panic(const char *message)
{
	bare_write(message);
	bare_write("\n");
	bare_exit(1);
}
#endif

static void expect(bool right, const char *what)
{
	if (right)
		return;
	bare_write("wrong: ");
	bare_write(what);
	bare_write("\n");
	failures++;
}

static void *number(uintptr_t value)
{
	return (void *)value;
}

static void count_to(struct context *self, void *limit)
{
	for (uintptr_t n = 1; n <= (uintptr_t)limit; n++)
		context_yield(self, number(n));
}

static void sum_inner(struct context *self, void *unused)
{
	uintptr_t sum = 0, n;

	(void)unused;
	context_create(&contexts[1], stacks[1], sizeof(stacks[1]), count_to);
	for (n = (uintptr_t)context_resume(self, &contexts[1], number(10)); n;
	     n = (uintptr_t)context_resume(self, &contexts[1], NULL))
		sum += n;
	context_yield(self, number(sum));
}

static void generators(void)
{
	uintptr_t sum = 0, n;

	for (int round = 0; round < 3; round++) {
		sum = 0;
		expect(context_create(&contexts[0], stacks[0], sizeof(stacks[0]), count_to) == CONTEXT_OK, "create");
		for (n = (uintptr_t)context_resume(&main_context, &contexts[0], number(100)); n;
		     n = (uintptr_t)context_resume(&main_context, &contexts[0], NULL))
			sum += n;
		expect(sum == 5050, "a generator counts to 100, and its return is NULL to its resumer");
	}
	context_create(&contexts[0], stacks[0], sizeof(stacks[0]), sum_inner);
	expect((uintptr_t)context_resume(&main_context, &contexts[0], NULL) == 55, "a generator within a generator");
}

/* Each adds its number and goes on with the next; the last finishes into the main one. */
static void relay(struct context *self, void *message)
{
	size_t own = (size_t)(self - contexts);

	if (own == 2)
		context_finish(self, &main_context, number((uintptr_t)message + own));
	context_switch(self, &contexts[own + 1], number((uintptr_t)message + own));
}

static void symmetric(void)
{
	for (int i = 0; i < 3; i++)
		context_create(&contexts[i], stacks[i], sizeof(stacks[i]), relay);
	expect((uintptr_t)context_switch(&main_context, &contexts[0], number(40)) == 43, "messages pass through a chain");
}

static void echo_inline(struct context *self, void *message)
{
	for (int i = 0; i < 5; i++)
		message = context_switch_inline(self, &main_context, number((uintptr_t)message + 1));
	context_finish_inline(self, &main_context, number(99));
}

static void inline_policy(void)
{
	uintptr_t message = 0;

	/* The context that the thread runs in belonged to the other policy until now. */
	context_create_inline(&contexts[0], stacks[0], sizeof(stacks[0]), echo_inline);
	for (int i = 0; i < 5; i++)
		message = (uintptr_t)context_switch_inline(&main_context, &contexts[0], number(message));
	expect(message == 5, "messages of the inline policy");
	expect((uintptr_t)context_switch_inline(&main_context, &contexts[0], NULL) == 99, "the inline policy's finish");
}

static void refused(void)
{
#ifndef CONTEXT_DEBUG
	struct context untouched = CONTEXT_THREAD;

	expect(context_create(&untouched, stacks[0] + 1, 4096, relay) == CONTEXT_STACK_MISALIGNED, "a misaligned stack");
	expect(context_create(&untouched, stacks[0], 2047, relay) == CONTEXT_STACK_TOO_SMALL, "a small stack");
	expect(context_create(&untouched, stacks[0], 0, relay) == CONTEXT_STACK_TOO_SMALL, "no stack");
	expect(!untouched.stack_pointer && !untouched.stack, "a refused context is left alone");
	expect(context_create(&untouched, stacks[0], 2048 + 7, relay) == CONTEXT_OK, "an odd size");
	expect((uintptr_t)untouched.stack_pointer % 16 == 0, "the frame is aligned all the same");
#endif
}

/* The lease counts switches away: two, and the third keeps nothing of the optional state. */
static void give_back(struct context *self, void *message)
{
	for (;;)
		message = context_switch_used(self, &main_context, message);
}

static void lease(void)
{
	static const bool kept[4] = { true, true, false, false };

	main_context = (struct context)CONTEXT_THREAD;
	context_create(&contexts[0], stacks[0], sizeof(stacks[0]), give_back);
	context_lease(&main_context, 2);
	for (int i = 0; i < 4; i++) {
		context_switch_used(&main_context, &contexts[0], NULL);
		expect((main_context.kept != 0) == kept[i], "a lease of two switches keeps two");
	}
	context_lease(&main_context, CONTEXT_LEASE_ALWAYS);
	for (int i = 0; i < 600; i++)
		context_switch_used(&main_context, &contexts[0], NULL);
	expect(main_context.kept != 0 && main_context.lease == CONTEXT_LEASE_ALWAYS, "a lease for ever stays");
}

#if defined(__x86_64__)
#define CAN_TRAP
/* Divisions by zero: masked or not. No exception is noted afterwards. */
static void set_trap(bool on)
{
	uint16_t word;

	__asm__ volatile("fnclex\n\tfnstcw %0" : "=m"(word));
	word = on ? word & ~4 : word | 4;
	__asm__ volatile("fldcw %0" : : "m"(word));
}

static void divide_by_zero(void)
{
	__asm__ volatile("fldz\n\tfld1\n\tfdiv %%st(1), %%st\n\tfstp %%st(0)\n\tfstp %%st(0)" : : : "st", "st(1)");
}

/* Whether the next instruction of its kind traps. */
static bool trap_is_pending(void)
{
	uint16_t status;

	__asm__ volatile("fnstsw %0" : "=a"(status));
	return status & 0x80;
}
#elif defined(__powerpc__) && !defined(_SOFT_FLOAT)
#define CAN_TRAP
/* FPSCR bit 27: ZE; 5: ZX; 1: FEX. */
static void set_trap(bool on)
{
	__asm__ volatile("mtfsb0 5");
	if (on)
		__asm__ volatile("mtfsb1 27");
	else
		__asm__ volatile("mtfsb0 27");
}

static void divide_by_zero(void)
{
	__asm__ volatile("mtfsb1 5");
}

static bool trap_is_pending(void)
{
	uint64_t status;

	__asm__ volatile("mffs 0\n\tstfd 0, 0(%0)" : : "b"(&status) : "memory", "fr0");
	return status >> 30 & 1;
}
#endif

#ifdef CAN_TRAP
typedef void *switch_function(struct context *from, struct context *to, void *message);
static switch_function *switch_by;

static void *switch_inline(struct context *from, struct context *to, void *message)
{
	return context_switch_inline(from, to, message);
}

static void trapping(struct context *self, void *message)
{
	(void)message;
	set_trap(true);
	for (;;)
		switch_by(self, &main_context, number(trap_is_pending()));
}

static void dividing(struct context *self, void *message)
{
	divide_by_zero();
	context_finish(self, &contexts[0], message);
}

static void begin_trapping(struct context *self, void *message)
{
	(void)message;
	context_finish_inline(self, &main_context, number(trap_is_pending()));
}

static void expect_no_trap(switch_function *how, const char *what)
{
	switch_by = how;
	switch_by(&main_context, &contexts[0], NULL);
	divide_by_zero();
	expect(!switch_by(&main_context, &contexts[0], NULL), what);
	set_trap(false);
}

/* What one context did while it masked an exception is no trap in another that does not mask it. */
static void traps(void)
{
	main_context = (struct context)CONTEXT_THREAD;
	context_create(&contexts[0], stacks[0], sizeof(stacks[0]), trapping);
	expect_no_trap(context_switch, "an exception of another context, full policy");
	context_create(&contexts[1], stacks[1], sizeof(stacks[1]), dividing);
	expect(!context_switch(&main_context, &contexts[1], NULL), "an exception of a context that finished");
	set_trap(false);
	context_create(&contexts[0], stacks[0], sizeof(stacks[0]), trapping);
	context_lease(&main_context, CONTEXT_LEASE_ALWAYS);
	context_lease(&contexts[0], CONTEXT_LEASE_ALWAYS);
	expect_no_trap(context_switch_used, "an exception of another context, used policy");
	main_context = (struct context)CONTEXT_THREAD;
	context_create_inline(&contexts[0], stacks[0], sizeof(stacks[0]), trapping);
	expect_no_trap(switch_inline, "an exception of another context, inline policy");
	set_trap(true);
	context_create_inline(&contexts[2], stacks[2], sizeof(stacks[2]), begin_trapping);
	set_trap(false);
	divide_by_zero();
	expect(!switch_inline(&main_context, &contexts[2], NULL), "an exception before the first switch to a context");
	set_trap(false);
}
#else
static void traps(void)
{
}
#endif

int bare_main(int argc, char **argv, const uintptr_t *auxiliary)
{
	(void)argv;
	(void)auxiliary;
	if (argc > 1) {
		/* What the header promises of a release build: a fault at address 0. */
		context_create(&contexts[0], stacks[0], sizeof(stacks[0]), relay);
		contexts[0] = (struct context){ .state = 5 };
		context_switch(&main_context, &contexts[0], NULL);
		return 0;
	}
	generators();
	symmetric();
	refused();
	lease();
	inline_policy();
	traps();
	return failures != 0;
}
