// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A signal at every instruction of a switch (x86-64, natively): the trap flag brings SIGTRAP before each instruction, on
 * the stack that is in use, while contexts are switched, resumed, yielded and finished. Each time the handler unwinds: at
 * each instruction of the switch the call frame information has to lead to main. At the end both sides must have counted to
 * the expected number. That shows that the handler's frame never overwrote anything that is needed, and that the call frame
 * information is right at each instruction, also between the two stacks.
 */
#include "../context_switch.h"
#include "../host/stack.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

void context_start(void);
void context_resume_at(void);
int main(void);

static struct context main_context = CONTEXT_THREAD, other;
static unsigned long steps_count, inside_count, reached_count;
static uintptr_t worst;

static _Unwind_Reason_Code look_for_main(struct _Unwind_Context *context, void *found)
{
	if (_Unwind_FindEnclosingFunction((void *)(_Unwind_GetIP(context) - 1)) == (void *)main)
		*(bool *)found = true;
	return _URC_NO_REASON;
}

static bool is_ours(uintptr_t at)
{
	void *start = _Unwind_FindEnclosingFunction((void *)at);

	return start == (void *)context_switch || start == (void *)context_switch_used || start == (void *)context_resume_at;
}

static void step(int number, siginfo_t *info, void *interrupted)
{
	uintptr_t at = (uintptr_t)((ucontext_t *)interrupted)->uc_mcontext.gregs[REG_RIP];
	bool found = false;

	(void)number;
	(void)info;
	steps_count++;
	if (!is_ours(at))
		return;
	inside_count++;
	_Unwind_Backtrace(look_for_main, &found);
	if (found)
		reached_count++;
	else if (!worst)
		worst = at;
}

static void trap_flag(bool on)
{
	if (on)
		__asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" : : : "memory", "cc");
	else
		__asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" : : : "memory", "cc");
}

static void count(struct context *self, void *message)
{
	uintptr_t n = 0;

	(void)message;
	for (int i = 0; i < 20; i++)
		context_yield(self, (void *)++n);
	for (int i = 0; i < 20; i++) {
		context_lease(self, (uint32_t)(i & 1));
		context_switch_used(self, self->resumer, (void *)++n);
	}
	context_finish(self, self->resumer, (void *)++n);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = step, .sa_flags = SA_SIGINFO | SA_NODEFER };
	size_t bytes = 1 << 18;
	uintptr_t sum = 0;

	sigaction(SIGTRAP, &action, NULL);
	context_create(&other, context_stack_map(&bytes), bytes, count);
	trap_flag(true);
	for (int i = 0; i < 41; i++)
		sum += (uintptr_t)context_resume(&main_context, &other, NULL);
	trap_flag(false);
	printf("%lu steps, %lu inside a switch, %lu unwound to main, sum %lu\n", steps_count, inside_count, reached_count,
	       (unsigned long)sum);
	if (worst)
		printf("not from %#lx (context_switch is at %p)\n", (unsigned long)worst, (void *)context_switch);
	return !(sum == 41 * 42 / 2 && inside_count > 1000 && reached_count == inside_count);
}
