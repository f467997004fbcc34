/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The system calls that the calls of calls.h stand for, with the same structures, for references and tests. */
#ifndef VDSO_TEST_SYSTEM_CALL_H
#define VDSO_TEST_SYSTEM_CALL_H

#include <stdint.h>

#if defined(__powerpc__)
enum { TEST_CLOCK_GETTIME = 246, TEST_CLOCK_GETRES = 247 };
#elif defined(__x86_64__)
enum { TEST_CLOCK_GETTIME = 228, TEST_CLOCK_GETRES = 229 };
#else
enum { TEST_CLOCK_GETTIME = 113, TEST_CLOCK_GETRES = 114 };
#endif

/* The runner's: 0 or -errno. */
long assay_syscall(long number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f);

static inline int test_clock_call(long number, int clock, void *result)
{
	return (int)assay_syscall(number, (uintptr_t)clock, (uintptr_t)result, 0, 0, 0, 0);
}

#endif
