/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In registers with 32-bit rotates and inserts: the sequence of the 2017 thread, which was never taken into the
 * kernel. Each word is rotated by 24 so that two of its bytes are in place, and the other two are inserted from the word
 * rotated by 8. Nine instructions in two chains.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	rldicl	7, 3, 32, 32		/* the high word */
	rlwinm	8, 3, 24, 0, 31
	rlwimi	8, 3, 8, 8, 15
	rlwinm	9, 7, 24, 0, 31
	rlwimi	8, 3, 8, 24, 31
	rlwimi	9, 7, 8, 8, 15
	rlwimi	9, 7, 8, 24, 31
	rldicr	8, 8, 32, 31
	or	3, 8, 9
	blr
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
