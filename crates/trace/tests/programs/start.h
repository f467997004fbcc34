// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// What a freestanding test program needs: an entry point that calls run(), and system calls.

#include <stddef.h>
#include <stdint.h>

int run(void);

#if defined(__powerpc__)
static long system_call(long number, long a, long b, long c)
{
	register long r0 __asm__("r0") = number, r3 __asm__("r3") = a, r4 __asm__("r4") = b, r5 __asm__("r5") = c;

	__asm__ volatile("sc\n bns+ 1f\n neg %1, %1\n1:"
			 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5)::"memory", "cr0", "r6", "r7", "r8", "r9", "r10", "r11", "r12",
			   "ctr");
	return r3;
}
enum {
	CALL_EXIT = 1,
	CALL_FORK = 2,
	CALL_WRITE = 4,
	CALL_EXECVE = 11,
	CALL_KILL = 37,
	CALL_CLONE = 120,
	CALL_GETPID = 20,
	CALL_EXIT_GROUP = 234,
	CALL_CLOSE = 6,
	CALL_DUP2 = 63,
	CALL_WAIT4 = 114,
	CALL_SETRLIMIT = 75,
	CALL_CHROOT = 61,
	CALL_SETUID = 23,
	CALL_CLOSE_RANGE = 436
};
#if defined(__powerpc64__)
__asm__(".globl _start\n_start:\n addis 2, 12, .TOC.-_start@ha\n addi 2, 2, .TOC.-_start@l\n"
	" clrrdi 1, 1, 5\n li 0, 0\n stdu 0, -64(1)\n bl start\n nop");
#else
__asm__(".globl _start\n_start:\n clrrwi 1, 1, 4\n li 0, 0\n stwu 0, -16(1)\n bl start");
#endif
#elif defined(__loongarch__)
static long system_call(long number, long a, long b, long c)
{
	register long a7 __asm__("a7") = number, a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;

	__asm__ volatile("syscall 0"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2)
			 : "memory", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8");
	return a0;
}
enum { CALL_EXIT = 93, CALL_EXIT_GROUP = 94, CALL_WRITE = 64, CALL_CLOSE = 57, CALL_KILL = 129, CALL_GETPID = 172 };
__asm__(".globl _start\n_start:\n bstrins.d $sp, $zero, 3, 0\n bl start");
#elif defined(__aarch64__)
static long system_call(long number, long a, long b, long c)
{
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
}
enum { CALL_EXIT = 93, CALL_EXIT_GROUP = 94, CALL_WRITE = 64, CALL_CLOSE = 57, CALL_KILL = 129, CALL_GETPID = 172 };
__asm__(".globl _start\n_start:\n bl start");
#elif defined(__riscv)
static long system_call(long number, long a, long b, long c)
{
	register long a7 __asm__("a7") = number, a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
	return a0;
}
enum { CALL_EXIT = 93, CALL_EXIT_GROUP = 94, CALL_WRITE = 64, CALL_CLOSE = 57, CALL_KILL = 129, CALL_GETPID = 172 };
__asm__(".globl _start\n_start:\n call start");
#elif defined(__x86_64__)
static long system_call(long number, long a, long b, long c)
{
	__asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c) : "memory", "rcx", "r11");
	return number;
}
enum {
	CALL_EXIT = 60,
	CALL_EXIT_GROUP = 231,
	CALL_WRITE = 1,
	CALL_CLOSE = 3,
	CALL_KILL = 62,
	CALL_GETPID = 39,
	CALL_SETRLIMIT = 160
};
__asm__(".globl _start\n_start:\n andq $-16, %rsp\n call start");
#endif

__attribute__((used, noreturn)) static void start(void)
{
	system_call(CALL_EXIT_GROUP, run(), 0, 0);
	__builtin_unreachable();
}
