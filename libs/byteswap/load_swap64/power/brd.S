/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Load plainly, reverse in the register with ISA 3.1: for comparison with the reversed load, which some cores crack.
 *
 * assay-requires: power10
 */
	.abiversion 2
	.text
	.globl	load_swap64
	.type	load_swap64, @function
	.balign	16
load_swap64:
	ld	3, 0(3)
	brd	3, 3
	blr
	.size	load_swap64, . - load_swap64

	.section .note.GNU-stack, "", @progbits
