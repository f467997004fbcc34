/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * add_words(z, x, y, n): z = x + y, n > 0 words. The loop is in the form of Go's addVV on POWER: two loads, adde, a
 * store, with the pointers updated on the way, and bdnz. Where Go's stood in a fetch block is not known, so the code is
 * not aligned and every place is tried.
 */
	.abiversion 2
	.text
	.balign	4
	.globl	add_words
	.type	add_words, @function
add_words:
	mtctr	%r6
	addi	%r3, %r3, -8
	addi	%r5, %r5, -8
	addic	%r0, %r0, 0		/* clears the carry: 0 is added to anything */
0:	ld	%r7, 0(%r4)
	ldu	%r8, 8(%r5)
	addi	%r4, %r4, 8
	adde	%r9, %r7, %r8
	stdu	%r9, 8(%r3)
	bdnz	0b
	blr
	.size	add_words, . - add_words
	.section .note.GNU-stack, "", @progbits
