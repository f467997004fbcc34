/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Through memory: a plain store into the red zone and a load that reverses.
 *
 * assay-requires: movbe
 */
	.text
	.globl	swap32
	.type	swap32, @function
	.balign	16
swap32:
	mov	%edi, -4(%rsp)
	movbe	-4(%rsp), %eax
	ret
	.size	swap32, . - swap32

	.section .note.GNU-stack, "", @progbits
