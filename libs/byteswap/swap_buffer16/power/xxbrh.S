/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Thirty-two bytes at a time with xxbrh of ISA 3.0, which needs no control vector. lxv reverses the whole vector on little
 * endian; the elements stay whole, and stxv puts them back.
 *
 * assay-requires: power9
 */
	.abiversion 2
	.text
	.globl	swap_buffer16
	.type	swap_buffer16, @function
	.balign	16
swap_buffer16:
	srdi.	5, 4, 4			/* pairs of vectors, 16 elements */
	beq	2f
	mtctr	5
1:	lxv	34, 0(3)
	lxv	35, 16(3)
	xxbrh	34, 34
	xxbrh	35, 35
	stxv	34, 0(3)
	stxv	35, 16(3)
	addi	3, 3, 32
	bdnz	1b
2:	andi.	4, 4, 15
	beqlr
	mtctr	4
3:	lhz	5, 0(3)
	sthbrx	5, 0, 3
	addi	3, 3, 2
	bdnz	3b
	blr
	.size	swap_buffer16, . - swap_buffer16

	.section .note.GNU-stack, "", @progbits
