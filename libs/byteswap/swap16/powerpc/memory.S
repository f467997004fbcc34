/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Store and load back with the bytes reversed, in a frame, because the 32-bit ABI has no red zone.
 */
	.text
	.globl	swap16
	.type	swap16, @function
	.balign	16
swap16:
	stwu	1, -16(1)
	sth	3, 8(1)
	addi	4, 1, 8
	lhbrx	3, 0, 4
	addi	1, 1, 16
	blr
	.size	swap16, . - swap16

	.section .note.GNU-stack, "", @progbits
