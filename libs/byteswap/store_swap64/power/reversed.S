/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER reverses in the store: stdbrx, in either byte order.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	store_swap64
	.type	store_swap64, @function
	.balign	16
store_swap64:
	stdbrx	4, 0, 3
	blr
	.size	store_swap64, . - store_swap64

	.section .note.GNU-stack, "", @progbits
