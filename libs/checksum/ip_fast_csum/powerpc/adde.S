/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One chain of addc and adde; the five words that every header has without a loop, options with one.
 *
 * assay-about: addc and adde, five words without a loop
 */
	.text
	.balign	16
	.globl	ip_fast_csum
	.type	ip_fast_csum, @function
ip_fast_csum:
	lwz	%r5, 0(%r3)
	lwz	%r6, 4(%r3)
	lwz	%r7, 8(%r3)
	addc	%r5, %r5, %r6
	lwz	%r8, 12(%r3)
	adde	%r5, %r5, %r7
	lwz	%r9, 16(%r3)
	subi	%r4, %r4, 5
	cmpwi	%r4, 0
	adde	%r5, %r5, %r8
	adde	%r5, %r5, %r9
	beq	1f
	mtctr	%r4
	addi	%r3, %r3, 16
2:	lwzu	%r6, 4(%r3)
	adde	%r5, %r5, %r6
	bdnz	2b
1:	addze	%r5, %r5
	rotlwi	%r6, %r5, 16
	add	%r5, %r5, %r6
	not	%r5, %r5
	srwi	%r3, %r5, 16
	blr
	.size	ip_fast_csum, . - ip_fast_csum

	.section .note.GNU-stack, "", @progbits
