/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 64-bit LoongArch Linux: what the runner's C needs to know. The ABI is explained in call.S. */
#ifndef ASSAY_ARCH_H
#define ASSAY_ARCH_H

#include <stdint.h>

#define ASSAY_SYS_WRITE 64
#define ASSAY_SYS_EXIT_GROUP 94
#define ASSAY_SYS_SETITIMER 103
#define ASSAY_SYS_CLOCK_GETTIME 113
#define ASSAY_SYS_SIGALTSTACK 132
#define ASSAY_SYS_RT_SIGACTION 134
#define ASSAY_SYS_MMAP 222
#define ASSAY_SYS_MPROTECT 226

#define ASSAY_SIGACTION_HAS_RESTORER 0
/* Whether a signal is delivered only with one: then entry.S has assay_sigreturn. */
#define ASSAY_NEEDS_SIGRETURN 0

/* How a value narrower than a register is passed: upper bits undefined / sign-extended / by its type. */
#define ASSAY_NARROW_RUBBISH 0
#define ASSAY_NARROW_SIGN 1
#define ASSAY_NARROW_TYPE 2
#define ASSAY_NARROW ASSAY_NARROW_SIGN

/* Bytes above the stack pointer at the call that belong to the callee. */
#define ASSAY_LINK_BYTES 0

#define ASSAY_SAVED_BYTES (22 * 8)
#define ASSAY_SAVED_REGISTERS \
	{ "$r2 (tp)", 8, 0 }, { "$r21 (reserved)", 8, 0 }, { "$r22 (fp)", 8, 0 }, { "$r23 (s0)", 8, 0 }, \
		{ "$r24 (s1)", 8, 0 }, { "$r25 (s2)", 8, 0 }, { "$r26 (s3)", 8, 0 }, { "$r27 (s4)", 8, 0 }, \
		{ "$r28 (s5)", 8, 0 }, { "$r29 (s6)", 8, 0 }, { "$r30 (s7)", 8, 0 }, { "$r31 (s8)", 8, 0 }, { "$f24", 8, 0 }, \
		{ "$f25", 8, 0 }, { "$f26", 8, 0 }, { "$f27", 8, 0 }, { "$f28", 8, 0 }, { "$f29", 8, 0 }, { "$f30", 8, 0 }, \
		{ "$f31", 8, 0 }, { "fcsr1 (exception enables)", 8, 0 }, { "fcsr3 (the rounding mode)", 8, 0 }

static inline uintptr_t assay_arch_features(void)
{
	return 0;
}

/* The constant-rate stable counter; the barrier keeps the work being timed between the two readings. */
static inline uint64_t assay_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("dbar 0\n\trdtime.d %0, $zero" : "=r"(ticks) : : "memory");
	return ticks;
}

/* Where the interrupted program counter lies in a signal's ucontext: first of the registers. */
static inline uintptr_t *assay_context_pc(void *context)
{
	return (uintptr_t *)((char *)context + 176);
}

#define ASSAY_HAS_CYCLE_CHAIN 0

#endif
