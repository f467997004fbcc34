/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse all eight bytes: the word wanted is then the upper half, and a logical shift brings zeros with it.
 */
	.text
	.globl	swap32
	.type	swap32, @function
	.balign	16
swap32:
	revb.d	$a0, $a0
	srli.d	$a0, $a0, 32
	jr	$ra
	.size	swap32, . - swap32

	.section .note.GNU-stack, "", @progbits
