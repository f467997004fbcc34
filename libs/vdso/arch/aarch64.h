/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * AArch64: the counter is CNTVCT_EL0, which a program may read where the kernel allows it. The isb keeps the counter from
 * being read early. To keep later loads from executing before it, their addresses must depend on the value read (Arm ARM,
 * B2.3.2, address dependency), which vdso_zero_after provides.
 */
#ifndef VDSO_ARCH_H
#define VDSO_ARCH_H

#include <stdint.h>

#define VDSO_SYS_CLOCK_GETTIME 113
#define VDSO_SYS_CLOCK_GETRES 114
#define VDSO_SYS_RT_SIGRETURN 139
#define VDSO_SYS_GETCPU 168
#define VDSO_SYS_GETTIMEOFDAY 169

static inline uint64_t vdso_counter(void)
{
	uint64_t cycles;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(cycles) : : "memory");
	return cycles;
}

static inline void vdso_read_barrier(void)
{
	__asm__ volatile("dmb ishld" : : : "memory");
}

static inline void vdso_write_barrier(void)
{
	__asm__ volatile("dmb ishst" : : : "memory");
}

/*
 * After it the counter is read when all processors see the stores before it. dmb orders accesses to memory, which reading the
 * counter is none; an isb waits for a dsb, and a dsb for the stores (Arm ARM, B2.3).
 */
static inline void vdso_store_then_counter(void)
{
	__asm__ volatile("dsb ish" : : : "memory");
}

static inline void vdso_relax(void)
{
	__asm__ volatile("yield");
}

static inline uintptr_t vdso_zero_after(uint64_t cycles)
{
	uintptr_t zero;

	__asm__ volatile("eor %0, %1, %1" : "=r"(zero) : "r"(cycles) : "memory");
	return zero;
}

static inline long vdso_syscall3(long number, uintptr_t a, uintptr_t b, uintptr_t c)
{
	register long x8 __asm__("x8") = number;
	register uintptr_t x0 __asm__("x0") = a;
	register uintptr_t x1 __asm__("x1") = b;
	register uintptr_t x2 __asm__("x2") = c;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return (long)x0;
}

#endif
