/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instruction for it, since the 486.
 */
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	mov	%rdi, %rax
	bswap	%rax
	ret
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
