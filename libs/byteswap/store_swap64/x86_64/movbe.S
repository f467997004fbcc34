/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A store that reverses.
 *
 * assay-requires: movbe
 */
	.text
	.globl	store_swap64
	.type	store_swap64, @function
	.balign	16
store_swap64:
	movbe	%rsi, (%rdi)
	ret
	.size	store_swap64, . - store_swap64

	.section .note.GNU-stack, "", @progbits
