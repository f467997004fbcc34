/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plain load and a reversed store for each element; the same code in both byte orders.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	swap_buffer16
	.type	swap_buffer16, @function
	.balign	16
swap_buffer16:
	cmpldi	4, 0
	beqlr
	mtctr	4
1:	lhz	5, 0(3)
	sthbrx	5, 0, 3
	addi	3, 3, 2
	bdnz	1b
	blr
	.size	swap_buffer16, . - swap_buffer16

	.section .note.GNU-stack, "", @progbits
