/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse the whole word and shift what is wanted down: no write of half a register, which some cores have to merge.
 */
	.text
	.globl	swap16
	.type	swap16, @function
	.balign	16
swap16:
	mov	%edi, %eax
	bswap	%eax
	shr	$16, %eax
	ret
	.size	swap16, . - swap16

	.section .note.GNU-stack, "", @progbits
