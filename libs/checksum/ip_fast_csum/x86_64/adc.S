/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A chain of adc through the five words that every header has, two at a time, and through the options, word by
 * word: lea and dec leave the carry alone.
 *
 * assay-about: adc, eight bytes at a time for the first twenty
 */
	.text
	.balign	16
	.globl	ip_fast_csum
	.type	ip_fast_csum, @function
ip_fast_csum:
	movl	16(%rdi), %eax
	addq	0(%rdi), %rax
	adcq	8(%rdi), %rax
	adcq	$0, %rax
	/* 64 bits to 32. */
	movq	%rax, %rdx
	shrq	$32, %rdx
	subl	$5, %esi
	ja	.Loptions
	addl	%edx, %eax
.Lfold:
	adcl	$0, %eax
	movl	%eax, %edx
	roll	$16, %edx
	addl	%edx, %eax
	notl	%eax
	shrl	$16, %eax
	ret
.Loptions:
	addl	%edx, %eax
1:	adcl	20(%rdi), %eax
	leaq	4(%rdi), %rdi
	decl	%esi
	jnz	1b
	jmp	.Lfold
	.size	ip_fast_csum, . - ip_fast_csum

	.section .note.GNU-stack, "", @progbits
