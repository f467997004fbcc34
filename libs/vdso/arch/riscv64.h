/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 64-bit RISC-V: the counter is the time CSR. The unprivileged manual counts reads of that CSR as input from a device, so a
 * fence with `i` on one side orders them. Linux's readers do without (the counter is hardly ever read before the older loads are
 * done), and so do these; a writer, which may take its time, does not.
 */
#ifndef VDSO_ARCH_H
#define VDSO_ARCH_H

#include <stdint.h>

#define VDSO_SYS_CLOCK_GETTIME 113
#define VDSO_SYS_CLOCK_GETRES 114
#define VDSO_SYS_RT_SIGRETURN 139
#define VDSO_SYS_GETCPU 168
#define VDSO_SYS_GETTIMEOFDAY 169
#define VDSO_SYS_FLUSH_ICACHE 259

static inline uint64_t vdso_counter(void)
{
	uint64_t cycles;

	__asm__ volatile("rdtime %0" : "=r"(cycles) : : "memory");
	return cycles;
}

static inline void vdso_read_barrier(void)
{
	__asm__ volatile("fence r, r" : : : "memory");
}

static inline void vdso_write_barrier(void)
{
	__asm__ volatile("fence w, w" : : : "memory");
}

static inline void vdso_store_then_counter(void)
{
	__asm__ volatile("fence rw, irw" : : : "memory");
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
	register long a7 __asm__("a7") = number;
	register uintptr_t a0 __asm__("a0") = a;
	register uintptr_t a1 __asm__("a1") = b;
	register uintptr_t a2 __asm__("a2") = c;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
	return (long)a0;
}

#endif
