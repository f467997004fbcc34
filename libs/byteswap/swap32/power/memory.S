/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Store the word, load it with the bytes reversed. lwbrx clears the upper half of the register; lwbrx is older than
 * 64-bit POWER.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	swap32
	.type	swap32, @function
	.balign	16
swap32:
	stw	3, -4(1)
	addi	4, 1, -4
	lwbrx	3, 0, 4
	blr
	.size	swap32, . - swap32

	.section .note.GNU-stack, "", @progbits
