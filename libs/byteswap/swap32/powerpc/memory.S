/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Store and load back with the bytes reversed, in a frame, because the 32-bit ABI has no red zone.
 */
	.text
	.globl	swap32
	.type	swap32, @function
	.balign	16
swap32:
	stwu	1, -16(1)
	stw	3, 8(1)
	addi	4, 1, 8
	lwbrx	3, 0, 4
	addi	1, 1, 16
	blr
	.size	swap32, . - swap32

	.section .note.GNU-stack, "", @progbits
