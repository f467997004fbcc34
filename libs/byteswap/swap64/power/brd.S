/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ISA 3.1 at last has the instruction.
 *
 * assay-requires: power10
 */
	.abiversion 2
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	brd	3, 3
	blr
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
