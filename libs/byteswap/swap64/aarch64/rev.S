/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One instruction.
 */
	.text
	.globl	swap64
	.type	swap64, %function
	.balign	16
swap64:
	rev	x0, x0
	ret
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", %progbits
