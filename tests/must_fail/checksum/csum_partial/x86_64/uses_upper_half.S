/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds the initial sum as 64 bits. The upper half of a register that holds a 32-bit argument is undefined.
 *
 * assay-expect: fail the reference folds to
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	movq	%rdx, %rax
	movq	%rdx, %rcx
	shrq	$32, %rcx
	addl	%ecx, %eax
	adcl	$0, %eax
	ret
	.size	csum_partial, . - csum_partial
