/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Store the halfword, load it with the bytes reversed; lhbrx clears the rest of the register.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	swap16
	.type	swap16, @function
	.balign	16
swap16:
	sth	3, -2(1)
	addi	4, 1, -2
	lhbrx	3, 0, 4
	blr
	.size	swap16, . - swap16

	.section .note.GNU-stack, "", @progbits
