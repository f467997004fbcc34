/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each word is reversed by rotate and insert and becomes the other one. The 32-bit ABI passes the value in r3 (high
 * word) and r4 (low word), and returns it so.
 */
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	rlwinm	5, 4, 24, 0, 31
	rlwinm	6, 3, 24, 0, 31
	rlwimi	5, 4, 8, 8, 15
	rlwimi	6, 3, 8, 8, 15
	rlwimi	5, 4, 8, 24, 31
	rlwimi	6, 3, 8, 24, 31
	mr	3, 5
	mr	4, 6
	blr
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
