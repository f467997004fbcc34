/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A Linux system call with up to three arguments, for variants that do what a hot path must not do. */
#ifndef SYSTEM_CALL_H
#define SYSTEM_CALL_H

#include <stdint.h>

#if defined(__x86_64__)
enum { SYSTEM_WRITE = 1, SYSTEM_CLOSE = 3, SYSTEM_CLONE = 56, SYSTEM_EXIT_GROUP = 231 };
#elif defined(__powerpc__)
enum { SYSTEM_WRITE = 4, SYSTEM_CLOSE = 6, SYSTEM_CLONE = 120, SYSTEM_EXIT_GROUP = 234 };
#else
enum { SYSTEM_CLOSE = 57, SYSTEM_WRITE = 64, SYSTEM_EXIT_GROUP = 94, SYSTEM_CLONE = 220 };
#endif

static inline long system_call(long number, uintptr_t a, uintptr_t b, uintptr_t c)
{
#if defined(__x86_64__)
	register long result __asm__("rax") = number;
	register uintptr_t first __asm__("rdi") = a, second __asm__("rsi") = b, third __asm__("rdx") = c;
	register uintptr_t fourth __asm__("r10") = 0, fifth __asm__("r8") = 0;

	__asm__ volatile("syscall"
			 : "+r"(result)
			 : "r"(first), "r"(second), "r"(third), "r"(fourth), "r"(fifth)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__powerpc__)
	register long r0 __asm__("r0") = number;
	register uintptr_t r3 __asm__("r3") = a, r4 __asm__("r4") = b, r5 __asm__("r5") = c;
	register uintptr_t r6 __asm__("r6") = 0, r7 __asm__("r7") = 0;

	__asm__ volatile("sc"
			 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7)
			 :
			 : "r8", "r9", "r10", "r11", "r12", "cr0", "memory");
	return (long)r3;
#elif defined(__aarch64__)
	register long number_register __asm__("x8") = number;
	register uintptr_t x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	register uintptr_t x3 __asm__("x3") = 0, x4 __asm__("x4") = 0;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(number_register), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
	return (long)x0;
#elif defined(__riscv)
	register long number_register __asm__("a7") = number;
	register uintptr_t a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
	register uintptr_t a3 __asm__("a3") = 0, a4 __asm__("a4") = 0;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(number_register), "r"(a1), "r"(a2), "r"(a3), "r"(a4) : "memory");
	return (long)a0;
#elif defined(__loongarch64)
	register long number_register __asm__("$a7") = number;
	register uintptr_t a0 __asm__("$a0") = a, a1 __asm__("$a1") = b, a2 __asm__("$a2") = c;
	register uintptr_t a3 __asm__("$a3") = 0, a4 __asm__("$a4") = 0;

	__asm__ volatile("syscall 0"
			 : "+r"(a0)
			 : "r"(number_register), "r"(a1), "r"(a2), "r"(a3), "r"(a4)
			 : "$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7", "$t8", "memory");
	return (long)a0;
#endif
}

#endif
