/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 64-bit POWER Linux, both byte orders: what the runner's C needs to know. The ABI is explained in call.S. */
#ifndef ASSAY_ARCH_H
#define ASSAY_ARCH_H

#include <stdint.h>

#define ASSAY_SYS_WRITE 4
#define ASSAY_SYS_MMAP 90
#define ASSAY_SYS_SETITIMER 104
#define ASSAY_SYS_MPROTECT 125
#define ASSAY_SYS_RT_SIGACTION 173
#define ASSAY_SYS_SIGALTSTACK 185
#define ASSAY_SYS_EXIT_GROUP 234
#define ASSAY_SYS_CLOCK_GETTIME 246

#define ASSAY_SIGACTION_HAS_RESTORER 1
/* Whether a signal is delivered only with one: then entry.S has assay_sigreturn. */
#define ASSAY_NEEDS_SIGRETURN 0

/* How a value narrower than a register is passed: upper bits undefined / sign-extended / by its type. */
#define ASSAY_NARROW_RUBBISH 0
#define ASSAY_NARROW_SIGN 1
#define ASSAY_NARROW_TYPE 2
#define ASSAY_NARROW ASSAY_NARROW_TYPE

/* Bytes above the stack pointer at the call that belong to the callee: back chain, CR, LR and TOC save. */
#define ASSAY_LINK_BYTES 32
/* Of those, where LR may be saved, and where the caller's own bytes begin again: its TOC save word. */
#define ASSAY_LINK_RETURN 16
#define ASSAY_LINK_OWN 24

#define ASSAY_SAVED_BYTES (12 * 16 + (20 + 18 + 2) * 8 + 16 + 16)
#define ASSAY_SAVED_REGISTERS \
	{ "v20", 16, 0 }, { "v21", 16, 0 }, { "v22", 16, 0 }, { "v23", 16, 0 }, { "v24", 16, 0 }, { "v25", 16, 0 }, \
		{ "v26", 16, 0 }, { "v27", 16, 0 }, { "v28", 16, 0 }, { "v29", 16, 0 }, { "v30", 16, 0 }, { "v31", 16, 0 }, \
		{ "r2 (the TOC pointer)", 8, 0 }, { "r13 (the thread pointer)", 8, 0 }, { "r14", 8, 0 }, { "r15", 8, 0 }, \
		{ "r16", 8, 0 }, { "r17", 8, 0 }, { "r18", 8, 0 }, { "r19", 8, 0 }, { "r20", 8, 0 }, { "r21", 8, 0 }, \
		{ "r22", 8, 0 }, { "r23", 8, 0 }, { "r24", 8, 0 }, { "r25", 8, 0 }, { "r26", 8, 0 }, { "r27", 8, 0 }, \
		{ "r28", 8, 0 }, { "r29", 8, 0 }, { "r30", 8, 0 }, { "r31", 8, 0 }, { "f14", 8, 0 }, { "f15", 8, 0 }, \
		{ "f16", 8, 0 }, { "f17", 8, 0 }, { "f18", 8, 0 }, { "f19", 8, 0 }, { "f20", 8, 0 }, { "f21", 8, 0 }, \
		{ "f22", 8, 0 }, { "f23", 8, 0 }, { "f24", 8, 0 }, { "f25", 8, 0 }, { "f26", 8, 0 }, { "f27", 8, 0 }, \
		{ "f28", 8, 0 }, { "f29", 8, 0 }, { "f30", 8, 0 }, { "f31", 8, 0 }, { "CR2, CR3 or CR4", 8, 0 }, \
		{ "VRSAVE", 8, 0 }, { "VSCR (the non-Java mode)", 16, 0 }, \
		{ "FPSCR (rounding modes and exception enables)", 8, 0 }

static inline uintptr_t assay_arch_features(void)
{
	return 0;
}

/* The time base. */
static inline uint64_t assay_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("isync\n\tmftb %0" : "=r"(ticks) : : "memory");
	return ticks;
}

/* Where the interrupted program counter lies: the ucontext points to the registers, NIP is the 32nd. */
static inline uintptr_t *assay_context_pc(void *context)
{
	uintptr_t *registers = *(uintptr_t **)((char *)context + 224);

	return &registers[32];
}

#define ASSAY_HAS_CYCLE_CHAIN 0

#endif
