/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A load that reverses.
 *
 * assay-requires: movbe
 */
	.text
	.globl	load_swap32
	.type	load_swap32, @function
	.balign	16
load_swap32:
	movbe	(%rdi), %eax
	ret
	.size	load_swap32, . - load_swap32

	.section .note.GNU-stack, "", @progbits
