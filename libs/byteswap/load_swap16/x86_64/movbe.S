/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A load that reverses. The 16-bit form leaves the rest of the register as it was, so it is cleared.
 *
 * assay-requires: movbe
 */
	.text
	.globl	load_swap16
	.type	load_swap16, @function
	.balign	16
load_swap16:
	movbe	(%rdi), %ax
	movzwl	%ax, %eax
	ret
	.size	load_swap16, . - load_swap16

	.section .note.GNU-stack, "", @progbits
