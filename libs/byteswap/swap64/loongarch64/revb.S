/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One instruction of the base ISA.
 */
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	revb.d	$a0, $a0
	jr	$ra
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
