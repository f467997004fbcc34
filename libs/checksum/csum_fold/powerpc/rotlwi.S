/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rotation in one instruction, complement and shift in the last two: four instructions and no carry.
 *
 * assay-about: rotlwi, add, not, shift
 */
	.text
	.globl	csum_fold
	.type	csum_fold, @function
csum_fold:
	rotlwi	%r4, %r3, 16
	add	%r3, %r3, %r4
	not	%r3, %r3
	srwi	%r3, %r3, 16
	blr
	.size	csum_fold, . - csum_fold

	.section .note.GNU-stack, "", @progbits
