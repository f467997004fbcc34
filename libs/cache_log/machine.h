/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What differs between architectures: a prefetch, the time counter, the length of a line.
 *
 * The prefetch is for reading, into all levels. Each of these is a hint by its manual: no fault, no exception, no change of
 * memory, at any address: Power ISA 3.1 II 4.3.2 (dcbt), Arm ARM C6.2 (PRFM), LoongArch volume 1, 2.2.5.7 (preld), Intel
 * SDM 2B (PREFETCHh). The time counter is one that user code may read; its ticks are not cycles.
 *
 * A test may define CACHE_LOG_PREFETCH_LINE to see the addresses. -DCACHE_LOG_LINE_SHIFT=7 serves machines with other lines
 * (Apple's and some Arm servers' of 128 bytes): a shift that is too small asks twice for each line, one too large misses some.
 */
#ifndef CACHE_LOG_MACHINE_H
#define CACHE_LOG_MACHINE_H

#include <stdint.h>

#ifndef CACHE_LOG_LINE_SHIFT
#if defined(__powerpc64__)
#define CACHE_LOG_LINE_SHIFT 7
#else
#define CACHE_LOG_LINE_SHIFT 6
#endif
#endif

#if defined(CACHE_LOG_PREFETCH_LINE)
static inline void cache_log_prefetch_line(uintptr_t address)
{
	CACHE_LOG_PREFETCH_LINE(address);
}
#elif defined(__x86_64__)
static inline void cache_log_prefetch_line(uintptr_t address)
{
	__asm__ volatile("prefetcht0 (%0)" : : "r"(address));
}
#elif defined(__aarch64__)
static inline void cache_log_prefetch_line(uintptr_t address)
{
	__asm__ volatile("prfm pldl1keep, [%0]" : : "r"(address));
}
#elif defined(__powerpc64__)
static inline void cache_log_prefetch_line(uintptr_t address)
{
	__asm__ volatile("dcbt 0, %0" : : "r"(address));
}
#elif defined(__loongarch64)
static inline void cache_log_prefetch_line(uintptr_t address)
{
	__asm__ volatile("preld 0, %0, 0" : : "r"(address));
}
#else
#error "cache_log knows x86_64, aarch64, powerpc64 in both byte orders and loongarch64"
#endif

#if defined(__x86_64__)
static inline uint64_t cache_log_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
static inline uint64_t cache_log_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}
#elif defined(__powerpc64__)
static inline uint64_t cache_log_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mfspr %0, 268" : "=r"(ticks));
	return ticks;
}
#elif defined(__loongarch64)
static inline uint64_t cache_log_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("rdtime.d %0, $zero" : "=r"(ticks));
	return ticks;
}
#endif

#endif
