// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Backtraces cross a switch: from the innermost frame of a resumed context, over context_start, into its resumer and so on to
 * main, for two contexts of which one has resumed the other. The unwinder is the compiler's own (libgcc), which reads the same
 * call frame information as gdb and libunwind. It also restores registers on the way, so the walk fails if one of
 * them is described wrongly. `backtrace stop` stops in the innermost frame, for a debugger.
 */
#include "../context_switch.h"
#include "../host/stack.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

/* A link of the chain: its frame has to be there. */
#define LINK __attribute__((noinline))

static struct context main_context = CONTEXT_THREAD, outer, inner;
static char seen[4096];
static int stop;

struct function {
	void *start;
	const char *name;
};

void context_start(void);
int main(int argc, char **argv);
void *main_calls(void);
void *outer_calls(struct context *self);
void inner_calls(struct context *self);
static void outer_entry(struct context *self, void *message);
static void inner_entry(struct context *self, void *message);

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *unused)
{
	static const struct function functions[] = {
		{ (void *)context_start, "context_start" }, { (void *)main, "main" },
		{ (void *)main_calls, "main_calls" },	    { (void *)outer_calls, "outer_calls" },
		{ (void *)inner_calls, "inner_calls" },	    { (void *)outer_entry, "outer_entry" },
		{ (void *)inner_entry, "inner_entry" },
	};
	void *start = _Unwind_FindEnclosingFunction((void *)(_Unwind_GetIP(context) - 1));

	(void)unused;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		/* The description of context_start begins one instruction early. */
		size_t distance = (size_t)((char *)functions[i].start - (char *)start);

		if (start && distance <= 4 && strlen(seen) < sizeof(seen) - 40) {
			strcat(seen, functions[i].name);
			strcat(seen, " ");
		}
	}
	return _URC_NO_REASON;
}

LINK void inner_calls(struct context *self)
{
	(void)self;
	if (stop)
		raise(SIGTRAP);
	_Unwind_Backtrace(note, NULL);
	__asm__ volatile("" : : : "memory");
}

static void inner_entry(struct context *self, void *message)
{
	inner_calls(self);
	context_yield(self, message);
}

LINK void *outer_calls(struct context *self)
{
	void *answer = context_resume(self, &inner, NULL);

	__asm__ volatile("" : : : "memory");
	return answer;
}

static void outer_entry(struct context *self, void *message)
{
	(void)message;
	outer_calls(self);
	context_yield(self, NULL);
}

LINK void *main_calls(void)
{
	void *answer = context_resume(&main_context, &outer, NULL);

	__asm__ volatile("" : : : "memory");
	return answer;
}

int main(int argc, char **argv)
{
	static const char wanted[] = "inner_calls inner_entry context_start outer_calls outer_entry "
				     "context_start main_calls main ";
	size_t bytes = 65536;

	stop = argc > 1 && strcmp(argv[1], "stop") == 0;
	context_create(&outer, context_stack_map(&bytes), bytes, outer_entry);
	context_create(&inner, context_stack_map(&bytes), bytes, inner_entry);
	main_calls();
	puts(seen);
	return strcmp(seen, wanted) != 0;
}
