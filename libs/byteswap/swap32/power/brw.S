/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * brw (ISA 3.1) reverses the bytes of both words of the register: the upper one has to be cleared.
 *
 * assay-requires: power10
 */
	.abiversion 2
	.text
	.globl	swap32
	.type	swap32, @function
	.balign	16
swap32:
	brw	3, 3
	rldicl	3, 3, 0, 32
	blr
	.size	swap32, . - swap32

	.section .note.GNU-stack, "", @progbits
