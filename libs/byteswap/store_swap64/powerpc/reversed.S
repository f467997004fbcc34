/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ABI gives the value an aligned register pair, r5 (high) and r6 (low); the low word reversed goes first.
 */
	.text
	.globl	store_swap64
	.type	store_swap64, @function
	.balign	16
store_swap64:
	li	7, 4
	stwbrx	6, 0, 3
	stwbrx	5, 3, 7
	blr
	.size	store_swap64, . - store_swap64

	.section .note.GNU-stack, "", @progbits
