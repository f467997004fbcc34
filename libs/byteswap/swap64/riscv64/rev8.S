/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rev8 of Zbb reverses the whole register.
 *
 * assay-requires: zbb
 */
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	.option	arch, +zbb
	rev8	a0, a0
	ret
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
