/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Both halves moved to the top of their registers, so that their sum's carry is the processor's, and adc
 * brings it round.
 *
 * assay-about: both halves in the upper 16 bits, add and adc
 */
	.text
	.globl	csum_fold
	.type	csum_fold, @function
csum_fold:
	movl	%edi, %eax
	shll	$16, %edi
	andl	$0xffff0000, %eax
	addl	%edi, %eax
	adcl	$0xffff, %eax
	notl	%eax
	shrl	$16, %eax
	ret
	.size	csum_fold, . - csum_fold

	.section .note.GNU-stack, "", @progbits
