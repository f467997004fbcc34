/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A 32-bit bswap clears the upper half, as all 32-bit results do.
 */
	.text
	.globl	swap32
	.type	swap32, @function
	.balign	16
swap32:
	mov	%edi, %eax
	bswap	%eax
	ret
	.size	swap32, . - swap32

	.section .note.GNU-stack, "", @progbits
