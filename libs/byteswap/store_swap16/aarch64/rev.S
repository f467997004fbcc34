/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse, then store.
 */
	.text
	.globl	store_swap16
	.type	store_swap16, %function
	.balign	16
store_swap16:
	rev16	w1, w1
	strh	w1, [x0]
	ret
	.size	store_swap16, . - store_swap16

	.section .note.GNU-stack, "", %progbits
