/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What our programs without a C library share, apart from runners: the ping-pong, the first process of a kernel that we boot,
 * and the programs that it starts. They link with arch/<arch>/entry.S, compiler_support.c and memory_calls.c
 * (crates/lab/src/freestanding.rs).
 */
#ifndef ASSAY_FREESTANDING_H
#define ASSAY_FREESTANDING_H

#include "arch.h"
#include "system_calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In entry.S: the system call, with errors as -4095..-1; what a signal handler returns to, where ASSAY_NEEDS_SIGRETURN. */
long assay_syscall(long number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f);
void assay_sigreturn(void);

/* The program. `stack` is as the kernel leaves it: the number of words, the words, 0, the environment, 0, the auxiliary vector. */
_Noreturn void assay_main(uintptr_t *stack);

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

/* CALL(SYS_CLOSE, file): a system call with as many arguments as there are. */
#define CALL(number, ...) CALL_(number, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL_(number, a, b, c, d, e, f, ...) \
	assay_syscall(number, (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), (uintptr_t)(d), (uintptr_t)(e), (uintptr_t)(f))

enum { OUT = 1, ERRORS = 2, AT_FDCWD = -100, SIGNAL_KILL = 9, SIGNAL_USER = 10, SIGNAL_ALARM = 14, SIGNAL_CHILD = 17 };

struct signal_action {
	void (*handler)(int);
	unsigned long flags;
#if ASSAY_SIGACTION_HAS_RESTORER
	void (*restorer)(void);
#endif
	uint64_t mask;
};

/* A system call that a handled signal interrupts is restarted. */
enum { SIGNAL_RESTARTS = 0x10000000 };

static inline long handle_signal(int signal, void (*handler)(int), unsigned long flags)
{
	struct signal_action action = { .handler = handler, .flags = flags };

#if ASSAY_NEEDS_SIGRETURN
	action.flags |= 0x04000000;
	action.restorer = assay_sigreturn;
#endif
	return CALL(ASSAY_SYS_RT_SIGACTION, signal, &action, 0, 8);
}

static inline size_t text_length(const char *text)
{
	size_t bytes = 0;

	while (text[bytes])
		bytes++;
	return bytes;
}

static inline bool text_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* These two append and return the new end, without a terminating zero. A number takes at most 20 bytes. */
static inline char *put_text(char *at, const char *text)
{
	while (*text)
		*at++ = *text++;
	return at;
}

static inline char *put_number(char *at, uint64_t value)
{
	char digits[20];
	int count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while (value /= 10);
	while (count)
		*at++ = digits[--count];
	return at;
}

static inline void say(int where, const char *text)
{
	(void)CALL(ASSAY_SYS_WRITE, where, text, text_length(text));
}

static inline void say_number(int where, uint64_t value)
{
	char digits[20];

	(void)CALL(ASSAY_SYS_WRITE, where, digits, put_number(digits, value) - digits);
}

static inline _Noreturn void leave(int status)
{
	for (;;)
		(void)CALL(ASSAY_SYS_EXIT_GROUP, status);
}

#endif
