/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Load, then reverse. The upper halfword comes as zero and stays zero.
 */
	.text
	.globl	load_swap16
	.type	load_swap16, %function
	.balign	16
load_swap16:
	ldrh	w0, [x0]
	rev16	w0, w0
	ret
	.size	load_swap16, . - load_swap16

	.section .note.GNU-stack, "", %progbits
