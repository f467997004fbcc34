/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Through memory: a plain store into the red zone and a load that reverses.
 *
 * assay-requires: movbe
 */
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	mov	%rdi, -8(%rsp)
	movbe	-8(%rsp), %rax
	ret
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
