/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 64-bit LoongArch: the counter is the stable counter, read by rdtime.d. `dbar 0` is the barrier that every core has; finer
 * hints came with LA664. A system call may change $t0 to $t8.
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

	__asm__ volatile("rdtime.d %0, $zero" : "=r"(cycles) : : "memory");
	return cycles;
}

static inline void vdso_read_barrier(void)
{
	__asm__ volatile("dbar 0" : : : "memory");
}

static inline void vdso_write_barrier(void)
{
	__asm__ volatile("dbar 0" : : : "memory");
}

/* Waits for the stores; a compiler's fence is dbar 16, by which later cores only order them. */
static inline void vdso_store_then_counter(void)
{
	__asm__ volatile("dbar 0" : : : "memory");
}

static inline void vdso_relax(void)
{
	__asm__ volatile("nop" : : : "memory");
}

static inline uintptr_t vdso_zero_after(uint64_t cycles)
{
	(void)cycles;
	return 0;
}

static inline long vdso_syscall3(long number, uintptr_t a, uintptr_t b, uintptr_t c)
{
	register long a7 __asm__("$a7") = number;
	register uintptr_t a0 __asm__("$a0") = a;
	register uintptr_t a1 __asm__("$a1") = b;
	register uintptr_t a2 __asm__("$a2") = c;

	__asm__ volatile("syscall 0"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2)
			 : "$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7", "$t8", "memory");
	return (long)a0;
}

#endif
