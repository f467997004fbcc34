/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* System calls that the runner does not use, and the one that needs assembly: a thread that starts on a stack of its own. */
#ifndef PINGPONG_NUMBERS_H
#define PINGPONG_NUMBERS_H

#include <stdint.h>

enum { MAP_PRIVATE_ANONYMOUS = 0x22, MAP_SHARED_ANONYMOUS = 0x21, FUTEX_WAIT = 0, FUTEX_WAKE = 1 };

#if defined(__x86_64__)
enum {
	SYS_READ = 0, SYS_CLONE = 56, SYS_KILL = 62, SYS_PRCTL = 157, SYS_FUTEX = 202, SYS_SCHED_SETAFFINITY = 203,
	SYS_SCHED_GETAFFINITY = 204, SYS_PIPE2 = 293,
};
#elif defined(__powerpc__)
enum {
	SYS_READ = 3, SYS_KILL = 37, SYS_CLONE = 120, SYS_PRCTL = 171, SYS_FUTEX = 221, SYS_SCHED_SETAFFINITY = 222,
	SYS_SCHED_GETAFFINITY = 223, SYS_PIPE2 = 317,
};
#else
enum {
	SYS_PIPE2 = 59, SYS_READ = 63, SYS_FUTEX = 98, SYS_SCHED_SETAFFINITY = 122, SYS_SCHED_GETAFFINITY = 123,
	SYS_KILL = 129, SYS_PRCTL = 167, SYS_CLONE = 220,
};
#endif

/*
 * clone(flags, stack); the thread calls the function whose address is the fifth word from the stack pointer on, which must
 * not return. In the caller: the thread's id or a negative error. The function's address lies on the stack, because kernels
 * do not promise to keep the other argument registers.
 */
long pingpong_thread(unsigned long flags, uintptr_t *stack);

#if defined(__x86_64__)
#define THREAD_TEXT                                                                                         \
	"	movl	$56, %eax\n"                                                                        \
	"	syscall\n"                                                                                  \
	"	testq	%rax, %rax\n"                                                                       \
	"	jnz	1f\n"                                                                               \
	"	call	*32(%rsp)\n"                                                                        \
	"1:	ret\n"
#elif defined(__powerpc__)
#ifdef __powerpc64__
#define LOAD_FUNCTION "	ld	12, 32(1)\n"
#else
#define LOAD_FUNCTION "	lwz	12, 16(1)\n"
#endif
#define THREAD_TEXT                                                                                         \
	"	li	0, 120\n"                                                                           \
	"	sc\n"                                                                                       \
	"	bso	1f\n"                                                                               \
	"	cmpwi	3, 0\n"                                                                             \
	"	bnelr\n" LOAD_FUNCTION                                                                      \
	"	mtctr	12\n"                                                                               \
	"	bctrl\n"                                                                                    \
	"1:	neg	3, 3\n"                                                                             \
	"	blr\n"
#elif defined(__aarch64__)
#define THREAD_TEXT                                                                                         \
	"	mov	x8, #220\n"                                                                         \
	"	svc	#0\n"                                                                               \
	"	cbnz	x0, 1f\n"                                                                           \
	"	ldr	x9, [sp, #32]\n"                                                                    \
	"	blr	x9\n"                                                                               \
	"1:	ret\n"
#elif defined(__riscv)
#define THREAD_TEXT                                                                                         \
	"	li	a7, 220\n"                                                                          \
	"	ecall\n"                                                                                    \
	"	bnez	a0, 1f\n"                                                                           \
	"	ld	t0, 32(sp)\n"                                                                       \
	"	jalr	t0\n"                                                                               \
	"1:	ret\n"
#elif defined(__loongarch__)
#define THREAD_TEXT                                                                                         \
	"	ori	$a7, $zero, 220\n"                                                                  \
	"	syscall	0\n"                                                                                \
	"	bnez	$a0, 1f\n"                                                                          \
	"	ld.d	$t0, $sp, 32\n"                                                                     \
	"	jirl	$ra, $t0, 0\n"                                                                      \
	"1:	ret\n"
#endif

__asm__("	.text\n"
	"	.globl	pingpong_thread\n"
	"	.type	pingpong_thread, %function\n"
	"pingpong_thread:\n" THREAD_TEXT
	"	.size	pingpong_thread, . - pingpong_thread\n");

#endif
