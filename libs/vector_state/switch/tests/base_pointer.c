// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The inline policy in a function that needs a base pointer: a local array of a length that is known late puts the stack pointer
 * at no fixed place, and one that is aligned more than the stack needs puts the frame pointer at no fixed distance. Which
 * register compilers then use, and whether a statement may claim it, depends on the options; the Makefile builds this with
 * several. Both sides of the switch are such functions, with frames of different sizes, so that neither can do with the
 * other's registers. Prints what is wrong; status 0 or 1.
 */
#include "bare.h"

#include "../context_inline.h"

enum { NUMBERS = 16, ALIGNMENT = 64, ROUNDS = 3 };

static _Alignas(16) unsigned char stack[16384];
static struct context main_context = CONTEXT_THREAD, other;

/* The compiler cannot know what is in the two arrays afterwards. */
static __attribute__((noinline)) void touch(void *one, void *two)
{
	__asm__ volatile("" : : "r"(one), "r"(two) : "memory");
}

/* The caller checks the sum: all that this function has to compare with may be lost together with the arrays. */
static __attribute__((noinline)) int sum_of_locals(struct context *from, struct context *to, size_t length, int value)
{
	_Alignas(ALIGNMENT) int fixed[NUMBERS];
	unsigned char variable[length];
	int sum = 0;

	for (int i = 0; i < NUMBERS; i++)
		fixed[i] = value;
	for (size_t i = 0; i < length; i++)
		variable[i] = 1;
	touch(fixed, variable);
	context_switch_inline(from, to, NULL);
	touch(fixed, variable);
	for (int i = 0; i < NUMBERS; i++)
		sum += fixed[i];
	for (size_t i = 0; i < length; i++)
		sum += variable[i];
	return sum;
}

/* Compilers may use the base pointer for no more than to find the caller's registers, so that these are looked at, too. */
static __attribute__((noinline)) bool keeps_all(struct context *from, struct context *to, size_t length, int value)
{
	volatile int wanted = NUMBERS * value + (int)length;
	int one = wanted, two = wanted, three = wanted;

	__asm__ volatile("" : "+r"(one), "+r"(two), "+r"(three));
	return sum_of_locals(from, to, length, value) == wanted && one == wanted && two == wanted && three == wanted;
}

static void switch_for_ever(struct context *self, void *message)
{
	(void)message;
	for (size_t length = 300;; length += 100)
		if (!keeps_all(self, &main_context, length, 1000)) {
			bare_write("wrong: what the context keeps\n");
			bare_exit(1);
		}
}

int bare_main(int argc, char **argv, const uintptr_t *auxiliary)
{
	(void)argv;
	(void)auxiliary;
	context_create_inline(&other, stack, sizeof(stack), switch_for_ever);
	for (int i = 0; i < ROUNDS; i++)
		if (!keeps_all(&main_context, &other, (size_t)(argc + 40 * i), 7)) {
			bare_write("wrong: what the main context keeps\n");
			return 1;
		}
	return 0;
}
