/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER reverses in the load: lwbrx, in either byte order.
 */
	.text
	.globl	load_swap32
	.type	load_swap32, @function
	.balign	16
load_swap32:
	lwbrx	3, 0, 3
	blr
	.size	load_swap32, . - load_swap32

	.section .note.GNU-stack, "", @progbits
