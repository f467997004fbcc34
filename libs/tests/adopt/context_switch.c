/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A generator of numbers on a stack of its own. */
#include <context_switch.h>
#include <stdio.h>

static char stack[65536] __attribute__((aligned(CONTEXT_STACK_ALIGNMENT)));

static void numbers(struct context *self, void *message)
{
	for (uintptr_t n = (uintptr_t)message;; n++)
		context_yield(self, (void *)n);
}

int main(void)
{
	struct context main_context = CONTEXT_THREAD, generator;
	uintptr_t sum = 0;

	context_create(&generator, stack, sizeof(stack), numbers);
	for (int i = 0; i < 10; i++)
		sum += (uintptr_t)context_resume(&main_context, &generator, NULL);
	printf("%d\n", (int)sum);
	return sum != 45;
}
