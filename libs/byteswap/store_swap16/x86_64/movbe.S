/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A store that reverses.
 *
 * assay-requires: movbe
 */
	.text
	.globl	store_swap16
	.type	store_swap16, @function
	.balign	16
store_swap16:
	movbe	%si, (%rdi)
	ret
	.size	store_swap16, . - store_swap16

	.section .note.GNU-stack, "", @progbits
