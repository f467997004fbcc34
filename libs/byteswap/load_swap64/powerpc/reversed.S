/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two reversed word loads; the word at the lower address, high on this big-endian machine, becomes the low one (r4).
 */
	.text
	.globl	load_swap64
	.type	load_swap64, @function
	.balign	16
load_swap64:
	li	5, 4
	lwbrx	4, 0, 3
	lwbrx	3, 3, 5
	blr
	.size	load_swap64, . - load_swap64

	.section .note.GNU-stack, "", @progbits
