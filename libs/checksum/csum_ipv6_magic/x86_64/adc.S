/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One chain of adc through the addresses, eight bytes at a time; length, next header and sum are put together
 * beside it in 64 bits, where they cannot overflow.
 *
 * assay-about: adc, eight bytes at a time
 */
	.text
	.balign	16
	.globl	csum_ipv6_magic
	.type	csum_ipv6_magic, @function
csum_ipv6_magic:
	/* rdi, rsi addresses, edx length, cl next header, r8d sum: each with undefined bits above. */
	bswapl	%edx
	movzbl	%cl, %ecx
	shll	$24, %ecx
	movl	%r8d, %eax
	addq	%rdx, %rax
	addq	%rcx, %rax
	addq	0(%rdi), %rax
	adcq	8(%rdi), %rax
	adcq	0(%rsi), %rax
	adcq	8(%rsi), %rax
	adcq	$0, %rax
	movq	%rax, %rdx
	shrq	$32, %rdx
	addl	%edx, %eax
	adcl	$0, %eax
	movl	%eax, %edx
	roll	$16, %edx
	addl	%edx, %eax
	notl	%eax
	shrl	$16, %eax
	ret
	.size	csum_ipv6_magic, . - csum_ipv6_magic

	.section .note.GNU-stack, "", @progbits
