/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A load that reverses.
 *
 * assay-requires: movbe
 */
	.text
	.globl	load_swap64
	.type	load_swap64, @function
	.balign	16
load_swap64:
	movbe	(%rdi), %rax
	ret
	.size	load_swap64, . - load_swap64

	.section .note.GNU-stack, "", @progbits
