/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * brh (ISA 3.1) reverses the bytes of all four halfwords of the register: three have to be cleared.
 *
 * assay-requires: power10
 */
	.abiversion 2
	.text
	.globl	swap16
	.type	swap16, @function
	.balign	16
swap16:
	brh	3, 3
	rldicl	3, 3, 0, 48
	blr
	.size	swap16, . - swap16

	.section .note.GNU-stack, "", @progbits
