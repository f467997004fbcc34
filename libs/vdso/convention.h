/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a call in C returns. Except on powerpc that is 0 or -errno. On powerpc CR0's summary overflow bit has to be clear after
 * success and set, with a positive errno, after an error; but every compare copies XER's bit there, which the program may have
 * set. So the bit is written last: the return value passes through the statement that writes it, and the code that a compiler
 * puts between that and the return (restoring registers, removing the frame) does not change CR. The tests call with XER's bit
 * set and clear to check that of both compilers.
 */
#ifndef VDSO_CONVENTION_H
#define VDSO_CONVENTION_H

#ifdef __powerpc__
static inline __attribute__((always_inline)) long vdso_succeed_with(long value)
{
	__asm__ volatile("crclr 4*cr0+so" : "+r"(value) : : "cr0", "memory");
	return value;
}

/* `status` is 0 or a negative errno. */
static inline __attribute__((always_inline)) int vdso_return(int status)
{
	if (status >= 0)
		return (int)vdso_succeed_with(0);
	status = -status;
	__asm__ volatile("crset 4*cr0+so" : "+r"(status) : : "cr0", "memory");
	return status;
}
#else
static inline __attribute__((always_inline)) long vdso_succeed_with(long value)
{
	return value;
}

static inline __attribute__((always_inline)) int vdso_return(int status)
{
	return status;
}
#endif

static inline __attribute__((always_inline)) int vdso_succeed(void)
{
	return (int)vdso_succeed_with(0);
}

#endif
