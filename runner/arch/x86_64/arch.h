/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* x86-64 Linux: what the runner's C needs to know. The ABI is explained in call.S. */
#ifndef ASSAY_ARCH_H
#define ASSAY_ARCH_H

#include <stdint.h>

#define ASSAY_SYS_WRITE 1
#define ASSAY_SYS_MMAP 9
#define ASSAY_SYS_MPROTECT 10
#define ASSAY_SYS_RT_SIGACTION 13
#define ASSAY_SYS_SETITIMER 38
#define ASSAY_SYS_SIGALTSTACK 131
#define ASSAY_SYS_CLOCK_GETTIME 228
#define ASSAY_SYS_EXIT_GROUP 231

#define ASSAY_SIGACTION_HAS_RESTORER 1
/* Whether a signal is delivered only with one: then entry.S has assay_sigreturn. */
#define ASSAY_NEEDS_SIGRETURN 1

/* How a value narrower than a register is passed: upper bits undefined / sign-extended / by its type. */
#define ASSAY_NARROW_RUBBISH 0
#define ASSAY_NARROW_SIGN 1
#define ASSAY_NARROW_TYPE 2
#define ASSAY_NARROW ASSAY_NARROW_RUBBISH

/* Bytes above the stack pointer at the call that belong to the callee. */
#define ASSAY_LINK_BYTES 0

#define ASSAY_SAVED_BYTES (11 * 8)
#define ASSAY_SAVED_REGISTERS \
	{ "rbx", 8, 0 }, { "rbp", 8, 0 }, { "r12", 8, 0 }, { "r13", 8, 0 }, { "r14", 8, 0 }, { "r15", 8, 0 }, \
		{ "mxcsr (control bits)", 8, 0 }, { "the x87 control word", 8, 0 }, \
		{ "the x87 register stack (an MMX instruction without emms?)", 8, 0 }, { "the direction flag", 8, 0 }, \
		{ "the alignment-check flag", 8, 0 }

static inline uintptr_t assay_arch_features(void)
{
	return 0;
}

/* The fences keep the work being timed between the two readings. */
static inline uint64_t assay_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* Where the interrupted program counter lies in a signal's ucontext: gregs[REG_RIP]. */
static inline uintptr_t *assay_context_pc(void *context)
{
	return (uintptr_t *)((char *)context + 40) + 16;
}

/*
 * A chain of dependent 64-bit multiplications. Not of `add $imm`: Golden Cove's rename stage eliminates those,
 * which would look like four times its frequency.
 */
#define ASSAY_HAS_CYCLE_CHAIN 1
#define ASSAY_CYCLE_CHAIN_CYCLES (100 * 10 * 3)
static inline void assay_cycle_chain(void)
{
	uint64_t value = 3;

	for (int i = 0; i < 100; i++)
		__asm__ volatile(".rept 10\n\timul %0, %0\n\t.endr" : "+r"(value));
}

#endif
