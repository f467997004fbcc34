/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A store that reverses.
 *
 * assay-requires: movbe
 */
	.text
	.globl	store_swap32
	.type	store_swap32, @function
	.balign	16
store_swap32:
	movbe	%esi, (%rdi)
	ret
	.size	store_swap32, . - store_swap32

	.section .note.GNU-stack, "", @progbits
