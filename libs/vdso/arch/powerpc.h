/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * PowerPC, 32 and 64 bits: the counter is the time base. A 64-bit processor reads it at once; a 32-bit one reads the upper
 * half, the lower half and the upper half again, until the upper one has not changed.
 *
 * lwsync orders loads; a processor that predates it executes it as sync, but for the e500v1 and v2 (MPC8540 to MPC8572), on
 * which it is illegal. Compilers for these define __NO_LWSYNC__. Kernels for one processor (MPC8xx, e300) need no
 * barrier at all: VDSO_ONE_PROCESSOR. On an error a system call sets CR0.SO and returns a positive errno; here it becomes
 * negative.
 */
#ifndef VDSO_ARCH_H
#define VDSO_ARCH_H

#include <stdint.h>

#define VDSO_SYS_TIME 13
#define VDSO_SYS_GETTIMEOFDAY 78
#define VDSO_SYS_CLOCK_GETTIME 246
#define VDSO_SYS_CLOCK_GETRES 247
#define VDSO_SYS_GETCPU 302
#ifndef __powerpc64__
#define VDSO_SYS_CLOCK_GETTIME64 403
#endif

static inline uint64_t vdso_counter(void)
{
#ifdef __powerpc64__
	uint64_t cycles;

	__asm__ volatile("mfspr %0, 268" : "=r"(cycles) : : "memory");
	return cycles;
#else
	uint32_t high, low, again;

	do {
		__asm__ volatile("mftbu %0\n\tmftb %1\n\tmftbu %2" : "=&r"(high), "=&r"(low), "=r"(again) : : "memory");
	} while (__builtin_expect(high != again, 0));
	return (uint64_t)high << 32 | low;
#endif
}

static inline void vdso_read_barrier(void)
{
#ifdef VDSO_ONE_PROCESSOR
	__asm__ volatile("" : : : "memory");
#elif defined(__NO_LWSYNC__)
	__asm__ volatile("sync" : : : "memory");
#else
	__asm__ volatile("lwsync" : : : "memory");
#endif
}

static inline void vdso_write_barrier(void)
{
	vdso_read_barrier();
}

/* Nothing behind a sync begins before it has completed, and with it the stores (Power ISA 3.1 II 4.6.3). */
static inline void vdso_store_then_counter(void)
{
	__asm__ volatile("sync" : : : "memory");
}

static inline void vdso_relax(void)
{
	__asm__ volatile("or 1, 1, 1\n\tor 2, 2, 2" : : : "memory");
}

static inline uintptr_t vdso_zero_after(uint64_t cycles)
{
	(void)cycles;
	return 0;
}

static inline long vdso_syscall3(long number, uintptr_t a, uintptr_t b, uintptr_t c)
{
	register uintptr_t r0 __asm__("r0") = (uintptr_t)number;
	register uintptr_t r3 __asm__("r3") = a;
	register uintptr_t r4 __asm__("r4") = b;
	register uintptr_t r5 __asm__("r5") = c;

	__asm__ volatile("sc\n\tbns+ 1f\n\tneg 3, 3\n1:"
			 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5)
			 :
			 : "r6", "r7", "r8", "r9", "r10", "r11", "r12", "cr0", "ctr", "memory");
	return (long)r3;
}

#endif
