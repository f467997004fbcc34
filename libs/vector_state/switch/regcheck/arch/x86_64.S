/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* void regcheck_cross(void (*cross)(void), const struct registers *fill, struct registers *seen) */
	.text
	.globl	regcheck_cross
	.type	regcheck_cross, @function
regcheck_cross:
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	subq	$24, %rsp
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movq	%rdx, 8(%rsp)
	movq	0(%rsi), %rbx
	movq	8(%rsi), %rbp
	movq	16(%rsi), %r12
	movq	24(%rsi), %r13
	movq	32(%rsi), %r14
	movq	40(%rsi), %r15
	ldmxcsr	48(%rsi)
	fldcw	56(%rsi)
	call	*%rdi
	movq	8(%rsp), %rdx
	movq	%rbx, 0(%rdx)
	movq	%rbp, 8(%rdx)
	movq	%r12, 16(%rdx)
	movq	%r13, 24(%rdx)
	movq	%r14, 32(%rdx)
	movq	%r15, 40(%rdx)
	stmxcsr	48(%rdx)
	fnstcw	56(%rdx)
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	addq	$24, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret
	.size	regcheck_cross, . - regcheck_cross

	.section .note.GNU-stack, "", @progbits
