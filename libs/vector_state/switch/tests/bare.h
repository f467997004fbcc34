/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the test programs without a libc share: text, numbers, the auxiliary vector. Entry and system calls are the test
 * runner's (../../../../runner). */
#ifndef BARE_H
#define BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program; returns the exit status. */
int bare_main(int argc, char **argv, const uintptr_t *auxiliary);

void bare_write(const char *text);
void bare_write_number(uint64_t number);
bool bare_same(const char *a, const char *b);
/* The value of a text that is a decimal number and nothing else; 0 for any other text. */
uint64_t bare_number(const char *text);
uintptr_t bare_auxiliary(const uintptr_t *auxiliary, uintptr_t type);
_Noreturn void bare_exit(int status);

/* From now on a signal every so many microseconds of processor time, whose handler runs on the stack that is in use. */
void bare_signals_start(long microseconds, void (*handler)(int number));

#endif
