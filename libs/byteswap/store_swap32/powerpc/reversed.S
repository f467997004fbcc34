/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER reverses in the store: stwbrx, in either byte order.
 */
	.text
	.globl	store_swap32
	.type	store_swap32, @function
	.balign	16
store_swap32:
	stwbrx	4, 0, 3
	blr
	.size	store_swap32, . - store_swap32

	.section .note.GNU-stack, "", @progbits
