/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER reverses in the load: lhbrx, in either byte order.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	load_swap16
	.type	load_swap16, @function
	.balign	16
load_swap16:
	lhbrx	3, 0, 3
	blr
	.size	load_swap16, . - load_swap16

	.section .note.GNU-stack, "", @progbits
