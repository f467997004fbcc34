/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How vdsotest calls and times a vDSO, after its description: each call is a function of its own, through a pointer that is
 * read each time, with the error taken from CR0 on powerpc; a loop counts calls in 64 bits and ends when a volatile flag is
 * set. The 2020 thread measured this loop, so this loop is traced.
 *
 * vdsotest's flag is set by a timer, so a run has an unknown number of calls; ours has a known one. So the count goes from
 * minus that number up to zero, and the loop ends when the flag, which stays 0, is equal to the count's upper word: a compare
 * of two registers replaces one with a constant, and no instruction is added.
 */
#ifndef VDSO_HARNESS_H
#define VDSO_HARNESS_H

#include "calls.h"

typedef uintptr_t vdso_word;

#ifdef __powerpc__
#define VDSO_ERROR_BIT (1u << 28)

/* r3 after the call; `*condition` is CR then, in which VDSO_ERROR_BIT tells an error. */
static inline __attribute__((always_inline)) vdso_word vdso_call_raw(vdso_word entry, vdso_word a, vdso_word b,
								     vdso_word *condition)
{
#if defined(__powerpc64__)
	register vdso_word target __asm__("r12") = entry;
#else
	register vdso_word target __asm__("r0") = entry;
#endif
	register vdso_word first __asm__("r3") = a;
	register vdso_word second __asm__("r4") = b;

	__asm__ volatile("mtctr %0\n\tbctrl\n\tmfcr %0"
			 : "+r"(target), "+r"(first), "+r"(second)
			 :
#if defined(__powerpc64__)
			 : "r0", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "cr0", "cr1", "cr5", "cr6", "cr7", "ctr", "lr",
			   "xer", "memory");
#else
			 : "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "cr0", "cr1", "cr5", "cr6", "cr7", "ctr", "lr",
			   "memory");
#endif
	*condition = target;
	return first;
}

#define VDSO_ERRNO(result) (result)

/* Whether the call failed; its error number is then VDSO_ERRNO(*result). */
static inline __attribute__((always_inline)) int vdso_call(vdso_word entry, vdso_word a, vdso_word b, long *result)
{
	vdso_word condition;

	*result = (long)vdso_call_raw(entry, a, b, &condition);
	return (condition & VDSO_ERROR_BIT) != 0;
}
#else
#define VDSO_ERRNO(result) (-(result))

static inline __attribute__((always_inline)) int vdso_call(vdso_word entry, vdso_word a, vdso_word b, long *result)
{
	*result = ((long (*)(vdso_word, vdso_word))entry)(a, b);
	return (int)*result < 0;
}
#endif

/* A function that the compiler must not inline or analyse, as if it were in another file. */
#ifdef __clang__
#define VDSO_APART __attribute__((noinline))
#else
#define VDSO_APART __attribute__((noipa))
#endif

static volatile vdso_word vdso_entry;
static volatile long vdso_stop;

/* Stands for the C library's errno, whose address a function returns. */
static VDSO_APART int *vdso_errno_location(void)
{
	static int error;
	int *location = &error;

	__asm__("" : "+r"(location));
	return location;
}

/*
 * The call's result, or -1 with the error in errno. Because it may call another function, it has a frame; the thread's entries
 * rely on that, since they save LR in their caller's frame.
 */
static VDSO_APART long vdso_wrapper(vdso_word a, vdso_word b)
{
	long result;

	if (vdso_call(vdso_entry, a, b, &result)) {
		*vdso_errno_location() = (int)VDSO_ERRNO(result);
		result = -1;
	}
	return result;
}

/* The part of the count that becomes zero, and only then, when the last call has been made. */
static inline long vdso_calls_left(uint64_t calls)
{
#ifdef __LP64__
	return (long)calls;
#else
	return (long)(calls >> 32);
#endif
}

/* `iterations` is less than 2^32. */
static inline __attribute__((always_inline)) void vdso_bench(uint64_t iterations, vdso_word a, vdso_word b)
{
	volatile long *stop = &vdso_stop;
	uint64_t calls = -iterations;

	__asm__("" : "+r"(stop), "+r"(a), "+r"(b));
	do {
		vdso_wrapper(a, b);
		calls++;
	} while (*stop != vdso_calls_left(calls));
}

#endif
