/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two words stored and loaded back with the bytes reversed, each into the other register. The 32-bit ABI has no red
 * zone, so the leaf makes a frame.
 */
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	stwu	1, -16(1)
	stw	3, 8(1)
	stw	4, 12(1)
	addi	5, 1, 8
	addi	6, 1, 12
	lwbrx	4, 0, 5
	lwbrx	3, 0, 6
	addi	1, 1, 16
	blr
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
