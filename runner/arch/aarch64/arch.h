/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* AArch64 Linux: what the runner's C needs to know. The ABI is explained in call.S. */
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

#define ASSAY_SIGACTION_HAS_RESTORER 1
/* Whether a signal is delivered only with one: then entry.S has assay_sigreturn. */
#define ASSAY_NEEDS_SIGRETURN 0

/* How a value narrower than a register is passed: upper bits undefined / sign-extended / by its type. */
#define ASSAY_NARROW_RUBBISH 0
#define ASSAY_NARROW_SIGN 1
#define ASSAY_NARROW_TYPE 2
#define ASSAY_NARROW ASSAY_NARROW_RUBBISH

/* Bytes above the stack pointer at the call that belong to the callee. */
#define ASSAY_LINK_BYTES 0

#define ASSAY_SAVED_BYTES (21 * 8)
#define ASSAY_SAVED_REGISTERS \
	{ "x18 (the platform register)", 8, 0 }, { "x19", 8, 0 }, { "x20", 8, 0 }, { "x21", 8, 0 }, { "x22", 8, 0 }, \
		{ "x23", 8, 0 }, { "x24", 8, 0 }, { "x25", 8, 0 }, { "x26", 8, 0 }, { "x27", 8, 0 }, { "x28", 8, 0 }, \
		{ "x29", 8, 0 }, { "d8", 8, 0 }, { "d9", 8, 0 }, { "d10", 8, 0 }, { "d11", 8, 0 }, { "d12", 8, 0 }, \
		{ "d13", 8, 0 }, { "d14", 8, 0 }, { "d15", 8, 0 }, { "fpcr", 8, 0 }

static inline uintptr_t assay_arch_features(void)
{
	return 0;
}

/* The virtual counter; the barrier keeps the work being timed between the two readings. */
static inline uint64_t assay_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

/* Where the interrupted program counter lies in a signal's ucontext: behind fault_address, regs[31] and sp. */
static inline uintptr_t *assay_context_pc(void *context)
{
	return (uintptr_t *)((char *)context + 176) + 33;
}

#define ASSAY_HAS_CYCLE_CHAIN 0

#endif
