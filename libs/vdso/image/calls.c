/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exported calls, where C can express the convention: -errno for an error. On powerpc the trampolines of powerpc.S call
 * these functions with the page, which they find, as last argument.
 */
#include "calls.h"

#if defined(__powerpc__)

int vdso_c_clock_gettime(int32_t clock, struct vdso_timespec *ts, const struct vdso_page *page)
{
	return vdso_call_clock_gettime(clock, ts, page, NULL);
}

#ifndef __powerpc64__
int vdso_c_clock_gettime64(int32_t clock, struct vdso_timespec64 *ts, const struct vdso_page *page)
{
	return vdso_call_clock_gettime64(clock, ts, page, NULL);
}
#endif

int vdso_c_clock_getres(int32_t clock, struct vdso_timespec *res, const struct vdso_page *page)
{
	return vdso_call_clock_getres(clock, res, page);
}

int vdso_c_gettimeofday(struct vdso_timeval *tv, struct vdso_timezone *tz, const struct vdso_page *page)
{
	return vdso_call_gettimeofday(tv, tz, page, NULL);
}

long vdso_c_time(long *to, const struct vdso_page *page)
{
	return vdso_call_time(to, page);
}

#else

/*
 * Placed by image.lds.S. Hidden, or the compiler would take the address from a table that is never relocated. Not const,
 * although nothing here writes it: the compiler assumes that a const object does not change at a barrier, and moves its loads
 * past those of the sequence count. (That happened once; torture found shifts and bases of two states mixed.)
 */
extern struct vdso_page vdso_page __attribute__((visibility("hidden")));
extern const char vdso_hypervisor_page[] __attribute__((visibility("hidden")));

#if defined(__aarch64__)
#define EXPORTED(call) __kernel_##call
#else
#define EXPORTED(call) __vdso_##call
#endif

int EXPORTED(clock_gettime)(int32_t clock, struct vdso_timespec *ts)
{
	return vdso_call_clock_gettime(clock, ts, &vdso_page, vdso_hypervisor_page);
}

int EXPORTED(clock_getres)(int32_t clock, struct vdso_timespec *res)
{
	return vdso_call_clock_getres(clock, res, &vdso_page);
}

int EXPORTED(gettimeofday)(struct vdso_timeval *tv, struct vdso_timezone *tz)
{
	return vdso_call_gettimeofday(tv, tz, &vdso_page, vdso_hypervisor_page);
}

#if !defined(__aarch64__)
#if defined(__x86_64__)
/*
 * Linux keeps the processor's and its node's number in the limit of segment 15 and in IA32_TSC_AUX, which rdpid reads: bits 0 to 11
 * and 12 up (arch/x86/include/asm/segment.h, __CPUNODE_SEG). The page's flags say whether that is so.
 */
static inline unsigned int number_of_processor(uint32_t flags)
{
	unsigned int number;
	uint64_t wide;

	if (VDSO_LIKELY(flags & VDSO_FLAG_RDPID)) {
		/* rdpid %rax: older assemblers than ours do not know its name. */
		__asm__ volatile(".byte 0xf3, 0x0f, 0xc7, 0xf8" : "=a"(wide));
		return (unsigned int)wide;
	}
	__asm__ volatile("lsl %1, %0" : "=r"(number) : "r"(0x7b));
	return number;
}
#endif

long EXPORTED(getcpu)(unsigned int *cpu, unsigned int *node, void *unused)
{
#if defined(__x86_64__)
	uint32_t flags = vdso_page.header.flags;

	/* A namespace's page has no flags, so there the system call is made. */
	if (VDSO_LIKELY(flags & VDSO_FLAG_GETCPU)) {
		unsigned int number = number_of_processor(flags);

		if (cpu)
			*cpu = number & 0xfff;
		if (node)
			*node = number >> 12;
		return 0;
	}
#endif
	return vdso_syscall3(VDSO_SYS_GETCPU, (uintptr_t)cpu, (uintptr_t)node, (uintptr_t)unused);
}
#endif

#if defined(__x86_64__)
long __vdso_time(long *to)
{
	return vdso_call_time(to, &vdso_page);
}

/* The names without a prefix are weak, so that a program that has them of its own links. */
int clock_gettime(int32_t clock, struct vdso_timespec *ts) __attribute__((weak, alias("__vdso_clock_gettime")));
int clock_getres(int32_t clock, struct vdso_timespec *res) __attribute__((weak, alias("__vdso_clock_getres")));
int gettimeofday(struct vdso_timeval *tv, struct vdso_timezone *tz) __attribute__((weak, alias("__vdso_gettimeofday")));
long getcpu(unsigned int *cpu, unsigned int *node, void *unused) __attribute__((weak, alias("__vdso_getcpu")));
long time(long *to) __attribute__((weak, alias("__vdso_time")));
#endif

#if defined(__riscv)
/* By system call: a hart's fence.i would not reach the other harts that the thread may run on next. */
long __vdso_flush_icache(void *start, void *end, uintptr_t flags)
{
	return vdso_syscall3(VDSO_SYS_FLUSH_ICACHE, (uintptr_t)start, (uintptr_t)end, flags);
}
#endif

#endif
