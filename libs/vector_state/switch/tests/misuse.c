// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * misuse CASE: does what context_switch.h forbids, one thing a run, in a debug build. Ends with status 3 and the
 * library's message if the library stops it, with 0 and "not stopped" if it does not. `misuse list` lists the cases with
 * what the message has to contain, with a tab between.
 */
#include "bare.h"

#include "../context_inline.h"

static _Alignas(16) unsigned char stacks[2][16384];
static struct context main_context = CONTEXT_THREAD, other, third;
static const uintptr_t *auxiliary_vector;

_Noreturn void context_panic(const char *message)
{
	bare_write(message);
	bare_write("\n");
	bare_exit(3);
}

static void go_back(struct context *self, void *message)
{
	for (;;)
		message = context_switch(self, &main_context, message);
}

static void go_back_inline(struct context *self, void *message)
{
	for (;;)
		message = context_switch_inline(self, &main_context, message);
}

static void end(struct context *self, void *message)
{
	context_finish(self, &main_context, message);
}

static void end_inline(struct context *self, void *message)
{
	context_finish_inline(self, &main_context, message);
}

static void return_at_once(struct context *self, void *message)
{
	(void)self;
	(void)message;
}

static void make(context_entry entry)
{
	context_create(&other, stacks[0], sizeof(stacks[0]), entry);
}

static void misaligned_stack(void)
{
	context_create(&other, stacks[0] + 8, sizeof(stacks[0]) - 8, go_back);
}

static void small_stack(void)
{
	context_create(&other, stacks[0], CONTEXT_STACK_BYTES_MIN - 1, go_back);
}

static void finished(void)
{
	make(end);
	context_switch(&main_context, &other, NULL);
	context_switch(&main_context, &other, NULL);
}

static void never_created(void)
{
	context_switch(&main_context, &third, NULL);
	/* third is zero: CONTEXT_THREAD of a thread that never was. */
}

static void to_itself(void)
{
	context_switch(&main_context, &main_context, NULL);
}

static void not_running(void)
{
	make(go_back);
	context_switch(&main_context, &other, NULL);
	context_switch(&other, &main_context, NULL);
}

static void resume_resumer(struct context *self, void *message)
{
	context_resume(self, &main_context, message);
}

static void recursive_resume(void)
{
	make(resume_resumer);
	context_resume(&main_context, &other, NULL);
}

static void yield_to_nobody(struct context *self, void *message)
{
	context_yield(self, message);
}

static void unresumed_yield(void)
{
	make(yield_to_nobody);
	context_switch(&main_context, &other, NULL);
}

static void unresumed_return(void)
{
	make(return_at_once);
	context_switch(&main_context, &other, NULL);
}

static void mixed_policies(void)
{
	context_create_inline(&other, stacks[0], sizeof(stacks[0]), go_back_inline);
	context_switch(&main_context, &other, NULL);
}

static void mixed_policies_inline(void)
{
	make(go_back);
	context_switch_inline(&main_context, &other, NULL);
}

static void make_inline(context_entry entry)
{
	context_create_inline(&other, stacks[0], sizeof(stacks[0]), entry);
}

/* The main context has left by context_switch_inline, so its frame is not context_finish's. */
static void finish_to_inline(void)
{
	make_inline(end);
	context_switch_inline(&main_context, &other, NULL);
}

static void finished_inline(void)
{
	make_inline(end_inline);
	context_switch_inline(&main_context, &other, NULL);
	context_switch_inline(&main_context, &other, NULL);
}

static void overrun(struct context *self, void *message)
{
	for (volatile unsigned char *byte = stacks[0]; byte < stacks[0] + 64; byte++)
		*byte = 0;
	context_switch(self, &main_context, message);
}

static void stack_overrun(void)
{
	make(overrun);
	context_switch(&main_context, &other, NULL);
}

/* The main context switches away, but passes the other one as `from`: nested use as from a signal handler. */
static void wrong_stack(void)
{
	make(go_back);
	context_create(&third, stacks[1], sizeof(stacks[1]), go_back);
	other.state = 3; /* running, as after the first half of an interrupted switch */
	context_switch(&other, &third, NULL);
}

/* The state that a signal handler finds if it interrupts context_switch_checked in the middle. */
static void nested(void)
{
	make(go_back);
	main_context.state = 4; /* switching */
	context_switch(&main_context, &other, NULL);
}

/* A real handler: switches away from the main context whenever that one is not running, so mostly within a switch. */
static void switch_in_handler(int number)
{
	(void)number;
	if (main_context.state != 3 /* running */)
		context_switch(&main_context, &third, NULL);
}

static void signal_in_the_middle(void)
{
	make(go_back);
	context_create(&third, stacks[1], sizeof(stacks[1]), go_back);
	bare_signals_start(200, switch_in_handler);
	for (unsigned int i = 0; i < 50000000; i++)
		context_switch(&main_context, &other, NULL);
}

static void cpu_without(void)
{
	if (!context_cpu_suffices(0))
		bare_write("not told\n");
}

static void cpu_here(void)
{
	if (context_cpu_suffices(bare_auxiliary(auxiliary_vector, 16 /* AT_HWCAP */)))
		context_panic("the CPU suffices");
}

static const struct {
	const char *name, *message;
	void (*run)(void);
} cases[] = {
	{ "misaligned_stack", "no multiple of 16", misaligned_stack },
	{ "small_stack", "fewer than 2048 bytes", small_stack },
	{ "finished", "is finished", finished },
	{ "never_created", "never created", never_created },
	{ "to_itself", "recursive use: a switch from a context to itself", to_itself },
	{ "not_running", "not the running one", not_running },
	{ "recursive_resume", "recursive use: the context waits", recursive_resume },
	{ "unresumed_yield", "nobody has resumed", unresumed_yield },
	{ "unresumed_return", "has returned", unresumed_return },
	{ "mixed_policies", "belongs to context_switch_inline", mixed_policies },
	{ "mixed_policies_inline", "not made or left by the inline policy", mixed_policies_inline },
	{ "finish_to_inline", "belongs to context_switch_inline", finish_to_inline },
	{ "finished_inline", "is finished", finished_inline },
	{ "stack_overrun", "has been overrun", stack_overrun },
	{ "wrong_stack", "does not run on its own stack", wrong_stack },
	{ "nested", "nested use", nested },
	{ "signal_in_the_middle", "nested use|context to leave is not the running one", signal_in_the_middle },
	{ "cpu_here", "the CPU suffices", cpu_here },
#ifdef __powerpc__
#if !defined(_SOFT_FLOAT)
	{ "cpu_without", "has no floating-point registers", cpu_without },
#endif
#endif
};

int bare_main(int argc, char **argv, const uintptr_t *auxiliary)
{
	bool list = argc == 2 && bare_same(argv[1], "list");

	auxiliary_vector = auxiliary;
	(void)cpu_without;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (list) {
			bare_write(cases[i].name);
			bare_write("\t");
			bare_write(cases[i].message);
			bare_write("\n");
		} else if (argc == 2 && bare_same(argv[1], cases[i].name)) {
			cases[i].run();
			bare_write("not stopped\n");
			return 0;
		}
	}
	return list ? 0 : 2;
}
