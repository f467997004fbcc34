/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counter that VDSO_CLOCKMODE_ARCH stands for, for references and tests, which share nothing with a reader. */
#ifndef VDSO_TEST_COUNTER_H
#define VDSO_TEST_COUNTER_H

#include <stdint.h>

#if defined(__powerpc__) && !defined(__powerpc64__)
/* The time base is read in two halves, again until the upper one has not changed. */
static inline __attribute__((always_inline)) uint64_t test_counter(void)
{
	uint32_t high, low, again;

	do {
		__asm__ volatile("mftbu %0" : "=r"(high));
		__asm__ volatile("mftb %0" : "=r"(low));
		__asm__ volatile("mftbu %0" : "=r"(again));
	} while (high != again);
	return (uint64_t)high << 32 | low;
}
#elif defined(__powerpc64__)
static inline __attribute__((always_inline)) uint64_t test_counter(void)
{
	uint64_t counter;

	__asm__ volatile("mftb %0" : "=r"(counter));
	return counter;
}
#elif defined(__x86_64__)
static inline __attribute__((always_inline)) uint64_t test_counter(void)
{
	uint32_t high, low;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
static inline __attribute__((always_inline)) uint64_t test_counter(void)
{
	uint64_t counter;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(counter) : : "memory");
	return counter;
}
#elif defined(__loongarch64)
static inline __attribute__((always_inline)) uint64_t test_counter(void)
{
	uint64_t counter;

	__asm__ volatile("rdtime.d %0, $zero" : "=r"(counter) : : "memory");
	return counter;
}
#elif defined(__riscv)
static inline __attribute__((always_inline)) uint64_t test_counter(void)
{
	uint64_t counter;

	__asm__ volatile("rdtime %0" : "=r"(counter) : : "memory");
	return counter;
}
#else
#error "no counter is known for this architecture"
#endif

#endif
