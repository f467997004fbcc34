/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two words loaded plainly and stored reversed, each in the place of the other.
 */
	.text
	.globl	swap_buffer64
	.type	swap_buffer64, @function
	.balign	16
swap_buffer64:
	cmplwi	4, 0
	beqlr
	mtctr	4
	li	7, 4
1:	lwz	5, 0(3)
	lwz	6, 4(3)
	stwbrx	6, 0, 3
	stwbrx	5, 3, 7
	addi	3, 3, 8
	bdnz	1b
	blr
	.size	swap_buffer64, . - swap_buffer64

	.section .note.GNU-stack, "", @progbits
