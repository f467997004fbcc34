/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64 by hand, in XSAVE's standard format, which splits wide registers: xmm in the legacy region, the upper half of ymm
 * after the header, that of zmm further on, at an offset that the processor chooses and the area holds.
 */
#ifndef VECTOR_STATE_X86_H
#define VECTOR_STATE_X86_H

#include "common/function.h"

#define MXCSR	    24
#define XMM(n)	    (160 + 16 * (n))
#define XSTATE_BV   512
#define XCOMP_BV    520
#define YMM_HIGH(n) (576 + 16 * (n))

/* Offsets from the address that avx512_place computes. */
#define OPMASK(n)    (8 * (n))
#define ZMM_HIGH(n)  (64 + 32 * (n))
#define ZMM_UPPER(n) (576 + 64 * ((n) - 16))

#define AVX512_AT 464

	.macro	avx512_place into
	movq	AVX512_AT(%rdi), \into
	addq	%rdi, \into
	.endm

/*
 * XSAVEC alone says in XSTATE_BV that the area holds nothing but what is asked for, and in XCOMP_BV that it is laid out for
 * that alone: what other saves had put there would be lost, and XRSTOR would fault after the next. Up to AVX both formats have
 * the same offsets, so the header can be that of the standard one. There MXCSR has to be valid whatever XSTATE_BV says: the
 * caller stores it. Changes rax, rcx, rdx.
 */
	.macro	xsavec_beside mask
	movq	XSTATE_BV(%rdi), %rcx
	andq	$~\mask, %rcx
	movl	$\mask, %eax
	xorl	%edx, %edx
	xsavec64 (%rdi)
	orq	%rcx, XSTATE_BV(%rdi)
	movq	$0, XCOMP_BV(%rdi)
	.endm

#define EACH_OF_16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

/* Falls through if the area holds all of \mask; else lets XRSTOR do the work, because missing components become initial. */
	.macro	fast_if_all mask
	movl	XSTATE_BV(%rdi), %eax
	andl	$\mask, %eax
	cmpl	$\mask, %eax
	je	1f
	movl	$\mask, %eax
	xorl	%edx, %edx
	xrstor64 (%rdi)
	ret
1:
	.endm

#endif
