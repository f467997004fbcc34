/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plain load and a reversed store for each element; the same code in both byte orders.
 */
	.text
	.globl	swap_buffer32
	.type	swap_buffer32, @function
	.balign	16
swap_buffer32:
	cmplwi	4, 0
	beqlr
	mtctr	4
1:	lwz	5, 0(3)
	stwbrx	5, 0, 3
	addi	3, 3, 4
	bdnz	1b
	blr
	.size	swap_buffer32, . - swap_buffer32

	.section .note.GNU-stack, "", @progbits
