/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit words into a 64-bit sum: no carry is looked at, so the five additions are a tree, where a chain of adde
 * would wait two cycles for each.
 *
 * assay-about: 32-bit words into a 64-bit sum as a tree
 */
	.abiversion 2
	.text
	.balign	16
	.globl	ip_fast_csum
	.type	ip_fast_csum, @function
ip_fast_csum:
	lwz	%r5, 0(%r3)
	lwz	%r6, 4(%r3)
	lwz	%r7, 8(%r3)
	lwz	%r8, 12(%r3)
	lwz	%r9, 16(%r3)
	addi	%r4, %r4, -5
	cmpwi	%r4, 0
	add	%r5, %r5, %r6
	add	%r7, %r7, %r8
	add	%r5, %r5, %r9
	add	%r5, %r5, %r7
	beq	1f
	clrldi	%r4, %r4, 32
	mtctr	%r4
	addi	%r3, %r3, 16
2:	lwzu	%r6, 4(%r3)
	add	%r5, %r5, %r6
	bdnz	2b
1:	rotldi	%r6, %r5, 32
	add	%r5, %r5, %r6
	srdi	%r5, %r5, 32
	rotlwi	%r6, %r5, 16
	add	%r5, %r5, %r6
	not	%r5, %r5
	rlwinm	%r3, %r5, 16, 16, 31
	blr
	.size	ip_fast_csum, . - ip_fast_csum

	.section .note.GNU-stack, "", @progbits
