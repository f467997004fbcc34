/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rotate by 8: two bytes are in place; insert the other two from the word rotated by 24.
 */
	.text
	.globl	swap32
	.type	swap32, @function
	.balign	16
swap32:
	rlwinm	4, 3, 8, 0, 31
	rlwimi	4, 3, 24, 0, 7
	rlwimi	4, 3, 24, 16, 23
	mr	3, 4
	blr
	.size	swap32, . - swap32

	.section .note.GNU-stack, "", @progbits
