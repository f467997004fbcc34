/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a booted kernel's program can do wrong, for the tests of ./assay kernel run.
 *
 *     misbehave exit | crash | panic | hang | flood | forge
 *
 * exit: status 7, with a word on each stream. crash: a store to address 0. panic: asks the kernel for one through
 * /proc/sysrq-trigger. hang: never ends. flood: prints more than is passed on. forge: prints what looks like init's record.
 */
#include "arch.h"
#include "numbers.h"

#include <stddef.h>
#include <stdint.h>

long assay_syscall(long number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f);
_Noreturn void assay_main(uintptr_t *stack);

#define CALL(number, a, b, c) assay_syscall(number, (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), 0, 0, 0)

void *memset(void *to, int value, size_t bytes);
void *memset(void *to, int value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		((char *)to)[i] = (char)value;
		__asm__ volatile("" : : : "memory");
	}
	return to;
}

static size_t length(const char *text)
{
	size_t bytes = 0;

	while (text[bytes])
		bytes++;
	return bytes;
}

static void say(int where, const char *text)
{
	(void)CALL(ASSAY_SYS_WRITE, where, text, length(text));
}

static _Noreturn void leave(int status)
{
	for (;;)
		(void)CALL(ASSAY_SYS_EXIT_GROUP, status, 0, 0);
}

static void panic(void)
{
	long file = CALL(SYS_OPENAT, -100, "/proc/sysrq-trigger", 1);

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
		say(1, "a word\nhalf a line");
		say(2, "an error\n");
		leave(7);
	case 'c':
		*(volatile int *)(uintptr_t)0 = 1;
		leave(3);
	case 'p':
		panic();
		leave(3);
	case 'h':
		say(1, "before\n");
		for (;;)
			__asm__ volatile("");
	case 'f':
		if (what[1] == 'l')
			flood();
		else
			say(1, "@1234-5678 x 00000001 0000 exit 0\n");
		leave(0);
	default:
		say(2, "misbehave: exit | crash | panic | hang | flood | forge\n");
		leave(2);
	}
}
