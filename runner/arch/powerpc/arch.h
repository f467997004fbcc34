/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 32-bit PowerPC Linux: what the runner's C needs to know. The ABI is explained in call.S. */
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

/* Bytes above the stack pointer at the call that are looked at as words: back chain, LR save, and two of the caller's own,
 * which keep what follows on a multiple of 16. */
#define ASSAY_LINK_BYTES 16
/* Of those, where LR may be saved, and where the caller's own bytes begin again. */
#define ASSAY_LINK_RETURN 4
#define ASSAY_LINK_OWN 8

#define ASSAY_SAVED_BYTES (12 * 16 + 18 * 8 + (20 + 2) * 4 + 8 + 16)
#define ASSAY_SAVED_REGISTERS \
	{ "v20", 16, ASSAY_HAS_VECTOR }, { "v21", 16, ASSAY_HAS_VECTOR }, { "v22", 16, ASSAY_HAS_VECTOR }, \
		{ "v23", 16, ASSAY_HAS_VECTOR }, { "v24", 16, ASSAY_HAS_VECTOR }, { "v25", 16, ASSAY_HAS_VECTOR }, \
		{ "v26", 16, ASSAY_HAS_VECTOR }, { "v27", 16, ASSAY_HAS_VECTOR }, { "v28", 16, ASSAY_HAS_VECTOR }, \
		{ "v29", 16, ASSAY_HAS_VECTOR }, { "v30", 16, ASSAY_HAS_VECTOR }, { "v31", 16, ASSAY_HAS_VECTOR }, \
		{ "f14", 8, ASSAY_HAS_FPU }, { "f15", 8, ASSAY_HAS_FPU }, { "f16", 8, ASSAY_HAS_FPU }, \
		{ "f17", 8, ASSAY_HAS_FPU }, { "f18", 8, ASSAY_HAS_FPU }, { "f19", 8, ASSAY_HAS_FPU }, \
		{ "f20", 8, ASSAY_HAS_FPU }, { "f21", 8, ASSAY_HAS_FPU }, { "f22", 8, ASSAY_HAS_FPU }, \
		{ "f23", 8, ASSAY_HAS_FPU }, { "f24", 8, ASSAY_HAS_FPU }, { "f25", 8, ASSAY_HAS_FPU }, \
		{ "f26", 8, ASSAY_HAS_FPU }, { "f27", 8, ASSAY_HAS_FPU }, { "f28", 8, ASSAY_HAS_FPU }, \
		{ "f29", 8, ASSAY_HAS_FPU }, { "f30", 8, ASSAY_HAS_FPU }, { "f31", 8, ASSAY_HAS_FPU }, \
		{ "r2 (the thread pointer)", 4, 0 }, { "r13 (the small data area)", 4, 0 }, { "r14", 4, 0 }, { "r15", 4, 0 }, \
		{ "r16", 4, 0 }, { "r17", 4, 0 }, { "r18", 4, 0 }, { "r19", 4, 0 }, { "r20", 4, 0 }, { "r21", 4, 0 }, \
		{ "r22", 4, 0 }, { "r23", 4, 0 }, { "r24", 4, 0 }, { "r25", 4, 0 }, { "r26", 4, 0 }, { "r27", 4, 0 }, \
		{ "r28", 4, 0 }, { "r29", 4, 0 }, { "r30", 4, 0 }, { "r31", 4, 0 }, { "CR2, CR3 or CR4", 4, 0 }, \
		{ "VRSAVE", 4, ASSAY_HAS_VECTOR }, { "FPSCR (rounding mode and exception enables)", 8, ASSAY_HAS_FPU }, \
	{ \
		"VSCR (the non-Java mode)", 16, ASSAY_HAS_VECTOR \
	}

enum { AUXILIARY_HWCAP = 16, HWCAP_ALTIVEC = 0x10000000, HWCAP_FPU = 0x08000000 };

/* The MPC8xx has no floating point, the e300 no AltiVec: the kernel says what there is (bits of internal.h). */
#define assay_arch_features() \
	((assay_auxiliary(AUXILIARY_HWCAP) & HWCAP_FPU ? (uintptr_t)ASSAY_HAS_FPU : 0) | \
	 (assay_auxiliary(AUXILIARY_HWCAP) & HWCAP_ALTIVEC ? (uintptr_t)ASSAY_HAS_VECTOR : 0))

/* The time base is read in two halves, again until the upper one has not changed. */
static inline uint64_t assay_ticks(void)
{
	uint32_t high, low, again;

	do {
		__asm__ volatile("mftbu %0\n\tmftb %1\n\tmftbu %2" : "=r"(high), "=r"(low), "=r"(again) : : "memory");
	} while (high != again);
	return (uint64_t)high << 32 | low;
}

/* Where the interrupted program counter lies: the ucontext points to the registers, NIP is the 32nd. */
static inline uintptr_t *assay_context_pc(void *context)
{
	uintptr_t *registers = *(uintptr_t **)((char *)context + 48);

	return &registers[32];
}

#define ASSAY_HAS_CYCLE_CHAIN 0

#endif
