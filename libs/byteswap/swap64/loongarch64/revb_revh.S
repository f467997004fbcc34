/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In two steps: the bytes of each halfword, then the order of the halfwords. Shows what revb.d saves.
 */
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	revb.4h	$a0, $a0
	revh.d	$a0, $a0
	jr	$ra
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
