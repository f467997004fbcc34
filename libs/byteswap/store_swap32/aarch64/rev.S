/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse, then store.
 */
	.text
	.globl	store_swap32
	.type	store_swap32, %function
	.balign	16
store_swap32:
	rev	w1, w1
	str	w1, [x0]
	ret
	.size	store_swap32, . - store_swap32

	.section .note.GNU-stack, "", %progbits
