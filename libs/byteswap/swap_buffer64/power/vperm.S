/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sixteen bytes at a time with vperm and the VSX loads and stores of POWER7, which need no alignment.
 *
 * The control vector is 0, 1, 2, ... 15 (lvsl of an aligned address) with 7 exclusive-ored into each byte: that is the
 * reversal within each 8 bytes. On little endian, lxvd2x brings each doubleword's bytes in reverse order and the
 * doublewords in memory order; the elements still lie whole within their doubleword, so the same control serves, and the
 * store undoes the order.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	swap_buffer64
	.type	swap_buffer64, @function
	.balign	16
swap_buffer64:
	srdi.	5, 4, 1			/* vectors of 2 elements */
	beq	2f
	mtctr	5
	li	6, 0
	lvsl	2, 0, 6			/* an address that is a multiple of 16: 0, 1, ... 15 */
	vspltisb 3, 7
	vxor	2, 2, 3
1:	lxvd2x	35, 0, 3
	vperm	3, 3, 3, 2
	stxvd2x	35, 0, 3
	addi	3, 3, 16
	bdnz	1b
2:	andi.	4, 4, 1
	beqlr
	mtctr	4
3:	ld	5, 0(3)
	stdbrx	5, 0, 3
	addi	3, 3, 8
	bdnz	3b
	blr
	.size	swap_buffer64, . - swap_buffer64

	.section .note.GNU-stack, "", @progbits
