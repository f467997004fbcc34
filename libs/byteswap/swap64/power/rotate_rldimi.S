/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As rotate_insert, one instruction shorter: rldimi shifts the new high word and joins it with the low one, where the
 * 2017 sequence needs rldicr and or. The result is built in the register that holds it, and the two chains are as long
 * as before.
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
	rlwinm	9, 7, 24, 0, 31
	rlwimi	8, 3, 8, 8, 15
	rlwimi	9, 7, 8, 8, 15
	rlwimi	8, 3, 8, 24, 31
	rlwimi	9, 7, 8, 24, 31
	rldimi	9, 8, 32, 0
	mr	3, 9
	blr
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
