// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Threads of a freestanding test program. Each runs the program's thread(), which does not return.

#include "start.h"

__attribute__((used, noreturn)) static void thread(void);

// clone with VM, FS, FILES, SIGHAND, THREAD and SYSVSEM; the child continues after the system call, on the new stack.
static long start_thread(void *stack_top)
{
	enum { THREAD_FLAGS = 0x50f00 };
#if defined(__powerpc__)
	register long number __asm__("r0") = 120, flags __asm__("r3") = THREAD_FLAGS, stack __asm__("r4") = (long)stack_top,
			     r5 __asm__("r5") = 0, r6 __asm__("r6") = 0, r7 __asm__("r7") = 0;

	__asm__ volatile("sc\n cmpwi 3, 0\n bne 1f\n bl thread\n nop\n1:"
			 : "+r"(number), "+r"(flags), "+r"(stack), "+r"(r5), "+r"(r6), "+r"(r7)::"memory", "cr0", "r8", "r9",
			   "r10", "r11", "r12", "ctr", "lr");
#elif defined(__loongarch__)
	register long number __asm__("a7") = 220, flags __asm__("a0") = THREAD_FLAGS, stack __asm__("a1") = (long)stack_top,
			     a2 __asm__("a2") = 0, a3 __asm__("a3") = 0, a4 __asm__("a4") = 0;

	__asm__ volatile("syscall 0\n bnez $a0, 1f\n bl thread\n1:"
			 : "+r"(flags)
			 : "r"(number), "r"(stack), "r"(a2), "r"(a3), "r"(a4)
			 : "memory", "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8");
#elif defined(__aarch64__)
	register long number __asm__("x8") = 220, flags __asm__("x0") = THREAD_FLAGS, stack __asm__("x1") = (long)stack_top,
			     x2 __asm__("x2") = 0, x3 __asm__("x3") = 0, x4 __asm__("x4") = 0;

	__asm__ volatile("svc 0\n cbnz x0, 1f\n bl thread\n1:"
			 : "+r"(flags)
			 : "r"(number), "r"(stack), "r"(x2), "r"(x3), "r"(x4)
			 : "memory", "x30");
#elif defined(__riscv)
	register long number __asm__("a7") = 220, flags __asm__("a0") = THREAD_FLAGS, stack __asm__("a1") = (long)stack_top,
			     a2 __asm__("a2") = 0, a3 __asm__("a3") = 0, a4 __asm__("a4") = 0;

	__asm__ volatile("ecall\n bnez a0, 1f\n call thread\n1:"
			 : "+r"(flags)
			 : "r"(number), "r"(stack), "r"(a2), "r"(a3), "r"(a4)
			 : "memory", "ra");
#elif defined(__x86_64__)
	register long flags __asm__("rax") = 56, r10 __asm__("r10") = 0, r8 __asm__("r8") = 0;

	__asm__ volatile("syscall\n testl %%eax, %%eax\n jnz 1f\n call thread\n1:"
			 : "+r"(flags)
			 : "D"(THREAD_FLAGS), "S"(stack_top), "d"(0), "r"(r10), "r"(r8)
			 : "memory", "rcx", "r11");
#endif
	return flags;
}
