/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rev8 of Zbb reverses the whole register; what is wanted is then at the top, and a logical shift brings zeros.
 *
 * assay-requires: zbb
 */
	.text
	.globl	swap32
	.type	swap32, @function
	.balign	16
swap32:
	.option	arch, +zbb
	rev8	a0, a0
	srli	a0, a0, 32
	ret
	.size	swap32, . - swap32

	.section .note.GNU-stack, "", @progbits
