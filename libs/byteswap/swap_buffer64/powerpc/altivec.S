/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * AltiVec loads and stores ignore the low four bits of the address, so single elements are done up to a multiple of 16.
 * A buffer whose elements straddle those multiples (its address is not a multiple of 8) never gets there and is done one
 * element at a time throughout. The control vector is 0, 1, 2, ... 15 with 7 exclusive-ored into each byte.
 *
 * VRSAVE tells a kernel that saves vector registers lazily which ones are live; current kernels ignore it.
 *
 * assay-requires: altivec
 */
	.text
	.globl	swap_buffer64
	.type	swap_buffer64, @function
	.balign	16
swap_buffer64:
	andi.	6, 3, 7
	bne	2f			/* straddling: all as single elements */
	neg	6, 3
	rlwinm	6, 6, 29, 31, 31	/* elements before the next multiple of 16 */
	cmplw	6, 4
	bge	2f
	subf	4, 6, 4
	cmplwi	6, 0
	beq	5f
	mtctr	6
4:	lwz	5, 0(3)
	lwz	6, 4(3)
	li	7, 4
	stwbrx	6, 0, 3
	stwbrx	5, 3, 7
	addi	3, 3, 8
	bdnz	4b
5:	srwi.	5, 4, 1
	beq	2f
	mtctr	5
	li	6, 0
	lvsl	2, 0, 6
	vspltisb 3, 7
	vxor	2, 2, 3
1:	lvx	3, 0, 3
	vperm	3, 3, 3, 2
	stvx	3, 0, 3
	addi	3, 3, 16
	bdnz	1b
	rlwinm	4, 4, 0, 31, 31		/* what is left of the last vector */
2:	cmplwi	4, 0
	beqlr
	mtctr	4
3:	lwz	5, 0(3)
	lwz	6, 4(3)
	li	7, 4
	stwbrx	6, 0, 3
	stwbrx	5, 3, 7
	addi	3, 3, 8
	bdnz	3b
	blr
	.size	swap_buffer64, . - swap_buffer64

	.section .note.GNU-stack, "", @progbits
