/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * PROGRAM ARGUMENT: the part that all drivers of published figures share. `drive` is what is recorded, and each entry of
 * `call`, which the driver defines, is marked. Status 0, or 2 for an argument that makes no sense.
 */
#include "driver.h"
#include "arch.h"

#define CALLS 20

/* From the runner's entry.S. */
long assay_syscall(long number, long a, long b, long c, long d, long e, long f);

void drive(unsigned long argument) __attribute__((noinline));
_Noreturn void assay_main(const uintptr_t *stack);

static _Noreturn void leave(int status)
{
	for (;;)
		assay_syscall(ASSAY_SYS_EXIT_GROUP, status, 0, 0, 0, 0, 0);
}

void require(int holds)
{
	if (!holds)
		leave(2);
}

uint64_t random_word(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1d;
}

static unsigned long number(const char *text)
{
	unsigned long value = 0;

	require(*text);
	for (; *text; text++) {
		require(*text >= '0' && *text <= '9' && value < 100000000);
		value = value * 10 + (unsigned long)(*text - '0');
	}
	return value;
}

void drive(unsigned long argument)
{
	for (int i = 0; i < CALLS; i++)
		call(argument);
}

/* The stack as the kernel leaves it: argc, argv[0], argv[1], ... */
_Noreturn void assay_main(const uintptr_t *stack)
{
	unsigned long argument;

	require(stack[0] == 2);
	argument = number((const char *)stack[2]);
	prepare(argument);
	drive(argument);
	leave(0);
}
