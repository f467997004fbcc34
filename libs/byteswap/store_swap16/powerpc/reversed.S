/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER reverses in the store: sthbrx, in either byte order.
 */
	.text
	.globl	store_swap16
	.type	store_swap16, @function
	.balign	16
store_swap16:
	sthbrx	4, 0, 3
	blr
	.size	store_swap16, . - store_swap16

	.section .note.GNU-stack, "", @progbits
