/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rev8 of Zbb reverses the whole register; what is wanted is then at the top, and a logical shift brings zeros.
 *
 * assay-requires: zbb
 */
	.text
	.globl	swap16
	.type	swap16, @function
	.balign	16
swap16:
	.option	arch, +zbb
	rev8	a0, a0
	srli	a0, a0, 48
	ret
	.size	swap16, . - swap16

	.section .note.GNU-stack, "", @progbits
