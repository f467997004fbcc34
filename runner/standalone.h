/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What checks without a C library that are not a hot path's test may use of the runner, besides assay.h: entry and exit,
 * system calls, the auxiliary vector, formatted text, and facts about the checked call. Such are the checks of the vDSO and
 * of eBPF's compiled code; they link with the runner's files that they use. Everything else is in internal.h.
 */
#ifndef ASSAY_STANDALONE_H
#define ASSAY_STANDALONE_H

#include "assay.h"
#include "arch.h"

#include <stdarg.h>

/* QEMU 7.2 starts an x86-64 signal handler with the stack eight bytes off its alignment. */
#ifdef __x86_64__
#define ASSAY_SIGNAL_HANDLER __attribute__((force_align_arg_pointer))
#else
#define ASSAY_SIGNAL_HANDLER
#endif

/* Exit statuses; the lab tells verdicts by them. */
enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_CRASHED = 3, EXIT_HELD_UP = 4 };

/* The kernel's system call, with errors as -4095..-1 on every architecture. In arch/<arch>/entry.S. */
long assay_syscall(long number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f);

_Noreturn void assay_exit(int status);

/* What a signal handler returns to, where ASSAY_NEEDS_SIGRETURN; otherwise the kernel provides it. */
void assay_sigreturn(void);

/* From the initial stack; before assay_auxiliary. */
void assay_auxiliary_read(const uintptr_t *stack);

/* Formats into a buffer of fixed size; text that does not fit is cut. Always terminated. */
struct assay_text {
	char bytes[512];
	size_t used;
};
void assay_text_add(struct assay_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void assay_text_add_list(struct assay_text *text, const char *format, va_list list);
void assay_text_write(int descriptor, const struct assay_text *text);

bool assay_equal(const char *a, const char *b);

/* Where a checked call returns to: the end of every chain of frames within it. In call.S of both POWERs. */
extern const unsigned char assay_call_returned[];

#endif
