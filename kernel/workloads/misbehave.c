/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a booted kernel's program can do wrong, for the tests of ./assay kernel run.
 *
 *     misbehave exit | crash | panic | hang | flood | forge
 *
 * exit: status 7, with a word on each stream. crash: a store to address 0. panic: makes the kernel panic through
 * /proc/sysrq-trigger. hang: never ends. flood: prints more than init passes on. forge: prints a line that looks like a
 * record of init.
 */
#include "freestanding.h"

static void panic(void)
{
	long file = CALL(SYS_OPENAT, AT_FDCWD, "/proc/sysrq-trigger", 1);

	say((int)file, "c");
}

static void flood(void)
{
	static char words[64 << 10];

	for (size_t i = 0; i < sizeof(words); i++)
		words[i] = i % 64 == 63 ? '\n' : 'x';
	for (int i = 0; i < 48; i++)
		(void)CALL(ASSAY_SYS_WRITE, 1, words, sizeof(words));
}

_Noreturn void assay_main(uintptr_t *stack)
{
	const char *what = stack[0] > 1 ? (const char *)stack[2] : "";

	switch (what[0]) {
	case 'e':
		say(OUT, "a word\nhalf a line");
		say(ERRORS, "an error\n");
		leave(7);
	case 'c':
		*(volatile int *)(uintptr_t)0 = 1;
		leave(3);
	case 'p':
		panic();
		leave(3);
	case 'h':
		say(OUT, "before\n");
		for (;;)
			__asm__ volatile("");
	case 'f':
		if (what[1] == 'l')
			flood();
		else
			say(OUT, "@1234-5678 x 00000001 0000 exit 0\n");
		leave(0);
	default:
		say(ERRORS, "misbehave: exit | crash | panic | hang | flood | forge\n");
		leave(2);
	}
}
