/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Through a vector register: ISA 3.0 can reverse each doubleword of one, and move to and from it directly. Three
 * instructions, but each crossing between the register files takes cycles. A kernel cannot use it without owning the
 * vector unit; a user program can.
 *
 * assay-requires: power9
 */
	.abiversion 2
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	mtvsrd	34, 3
	xxbrd	34, 34
	mfvsrd	3, 34
	blr
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
