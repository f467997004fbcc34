/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER reverses in the load: ldbrx, in either byte order.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	load_swap64
	.type	load_swap64, @function
	.balign	16
load_swap64:
	ldbrx	3, 0, 3
	blr
	.size	load_swap64, . - load_swap64

	.section .note.GNU-stack, "", @progbits
