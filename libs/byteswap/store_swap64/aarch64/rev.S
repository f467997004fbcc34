/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse, then store.
 */
	.text
	.globl	store_swap64
	.type	store_swap64, %function
	.balign	16
store_swap64:
	rev	x1, x1
	str	x1, [x0]
	ret
	.size	store_swap64, . - store_swap64

	.section .note.GNU-stack, "", %progbits
