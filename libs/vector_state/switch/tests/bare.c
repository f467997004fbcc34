// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See bare.h. Compiled with -fno-builtin, or memcpy and memset would be calls of themselves. */
#include "bare.h"

#include <standalone.h>

void *memcpy(void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
	return to;
}

void *memset(void *to, int value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)to)[i] = (unsigned char)value;
	return to;
}

void bare_write(const char *text)
{
	size_t bytes = 0;

	while (text[bytes])
		bytes++;
	assay_syscall(ASSAY_SYS_WRITE, 1, (uintptr_t)text, bytes, 0, 0, 0);
}

void bare_write_number(uint64_t number)
{
	char digits[24], *at = digits + sizeof(digits) - 1;

	*at = 0;
	do {
		*--at = (char)('0' + number % 10);
	} while (number /= 10);
	bare_write(at);
}

bool bare_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

uint64_t bare_number(const char *text)
{
	uint64_t number = 0;

	for (; *text >= '0' && *text <= '9' && number < UINT64_C(1) << 50; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return *text ? 0 : number;
}

uintptr_t bare_auxiliary(const uintptr_t *auxiliary, uintptr_t type)
{
	for (; auxiliary[0]; auxiliary += 2)
		if (auxiliary[0] == type)
			return auxiliary[1];
	return 0;
}

_Noreturn void bare_exit(int status)
{
	assay_syscall(ASSAY_SYS_EXIT_GROUP, (uintptr_t)status, 0, 0, 0, 0, 0);
	__builtin_trap();
}

enum { SIGNAL_PROF = 27, TIMER_PROFILE = 2 };
#define FLAG_RESTART 0x10000000ul
#define FLAG_RESTORER 0x04000000ul

/* As the kernel has it, on each of our architectures. */
struct signal_action {
	void (*handler)(int number);
	unsigned long flags;
#if ASSAY_SIGACTION_HAS_RESTORER
	void (*restorer)(void);
#endif
	uint64_t mask;
};

void bare_signals_start(long microseconds, void (*handler)(int number))
{
	struct signal_action action = { .handler = handler, .flags = FLAG_RESTART };
	long timer[4] = { 0, microseconds, 0, microseconds };

#if ASSAY_NEEDS_SIGRETURN
	action.flags |= FLAG_RESTORER;
	action.restorer = assay_sigreturn;
#endif
	if (assay_syscall(ASSAY_SYS_RT_SIGACTION, SIGNAL_PROF, (uintptr_t)&action, 0, 8, 0, 0) != 0 ||
	    assay_syscall(ASSAY_SYS_SETITIMER, TIMER_PROFILE, (uintptr_t)timer, 0, 0, 0, 0) != 0) {
		bare_write("signals cannot be had\n");
		bare_exit(2);
	}
}

/* The initial stack: argc, argv with its NULL, the environment with its NULL, the auxiliary vector. */
void assay_main(uintptr_t *stack)
{
	uintptr_t *at = stack + 1 + stack[0] + 1;

	while (*at)
		at++;
	bare_exit(bare_main((int)stack[0], (char **)(stack + 1), at + 1));
}
