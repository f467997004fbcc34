/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clear first, then rotate the 16-bit register: the 16-bit rotate leaves the rest of the register alone, and the rest
 * is already zero.
 */
	.text
	.globl	swap16
	.type	swap16, @function
	.balign	16
swap16:
	movzwl	%di, %eax
	rolw	$8, %ax
	ret
	.size	swap16, . - swap16

	.section .note.GNU-stack, "", @progbits
