/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64: the counter is the TSC. It is read by rdtscp, which waits for all older loads, so the time is not from before the
 * call; a writer on a processor without rdtscp or without an invariant TSC offers no counter (VDSO_CLOCKMODE_NONE). Loads
 * are not reordered with loads, so the sequence count needs no barrier.
 */
#ifndef VDSO_ARCH_H
#define VDSO_ARCH_H

#include <stdint.h>

#define VDSO_SYS_GETTIMEOFDAY 96
#define VDSO_SYS_TIME 201
#define VDSO_SYS_CLOCK_GETTIME 228
#define VDSO_SYS_CLOCK_GETRES 229
#define VDSO_SYS_GETCPU 309

static inline uint64_t vdso_counter(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high) : : "ecx", "memory");
	return (uint64_t)high << 32 | low;
}

static inline void vdso_read_barrier(void)
{
	__asm__ volatile("" : : : "memory");
}

static inline void vdso_write_barrier(void)
{
	__asm__ volatile("" : : : "memory");
}

/* rdtscp waits for older loads, and behind an mfence for older stores (SDM 2B, RDTSCP). */
static inline void vdso_store_then_counter(void)
{
	__asm__ volatile("mfence" : : : "memory");
}

static inline void vdso_relax(void)
{
	__asm__ volatile("pause");
}

static inline uintptr_t vdso_zero_after(uint64_t cycles)
{
	(void)cycles;
	return 0;
}

static inline long vdso_syscall3(long number, uintptr_t a, uintptr_t b, uintptr_t c)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return result;
}

#endif
