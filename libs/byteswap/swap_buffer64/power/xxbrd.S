/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Thirty-two bytes at a time with xxbrd of ISA 3.0, which needs no control vector. lxv reverses the whole vector on little
 * endian; the elements stay whole, and stxv puts them back.
 *
 * assay-requires: power9
 */
	.abiversion 2
	.text
	.globl	swap_buffer64
	.type	swap_buffer64, @function
	.balign	16
swap_buffer64:
	srdi.	5, 4, 2			/* pairs of vectors, 4 elements */
	beq	2f
	mtctr	5
1:	lxv	34, 0(3)
	lxv	35, 16(3)
	xxbrd	34, 34
	xxbrd	35, 35
	stxv	34, 0(3)
	stxv	35, 16(3)
	addi	3, 3, 32
	bdnz	1b
2:	andi.	4, 4, 3
	beqlr
	mtctr	4
3:	ld	5, 0(3)
	stdbrx	5, 0, 3
	addi	3, 3, 8
	bdnz	3b
	blr
	.size	swap_buffer64, . - swap_buffer64

	.section .note.GNU-stack, "", @progbits
