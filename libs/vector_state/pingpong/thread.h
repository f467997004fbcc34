/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A thread that starts on a stack of its own: the one system call here that needs assembly. */
#ifndef PINGPONG_THREAD_H
#define PINGPONG_THREAD_H

#include <stdint.h>

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
