/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * AltiVec loads and stores ignore the low four bits of the address, so single elements are done up to a multiple of 16.
 * A buffer whose elements straddle those multiples (its address is not a multiple of 4) never gets there and is done one
 * element at a time throughout. The control vector is 0, 1, 2, ... 15 with 3 exclusive-ored into each byte.
 *
 * VRSAVE tells a kernel that saves vector registers lazily which ones are live; current kernels ignore it.
 *
 * assay-requires: altivec
 */
	.text
	.globl	swap_buffer32
	.type	swap_buffer32, @function
	.balign	16
swap_buffer32:
	andi.	6, 3, 3
	bne	2f			/* straddling: all as single elements */
	neg	6, 3
	rlwinm	6, 6, 30, 30, 31	/* elements before the next multiple of 16 */
	cmplw	6, 4
	bge	2f
	subf	4, 6, 4
	cmplwi	6, 0
	beq	5f
	mtctr	6
4:	lwz	5, 0(3)
	stwbrx	5, 0, 3
	addi	3, 3, 4
	bdnz	4b
5:	srwi.	5, 4, 2
	beq	2f
	mtctr	5
	li	6, 0
	lvsl	2, 0, 6
	vspltisb 3, 3
	vxor	2, 2, 3
1:	lvx	3, 0, 3
	vperm	3, 3, 3, 2
	stvx	3, 0, 3
	addi	3, 3, 16
	bdnz	1b
	rlwinm	4, 4, 0, 30, 31		/* what is left of the last vector */
2:	cmplwi	4, 0
	beqlr
	mtctr	4
3:	lwz	5, 0(3)
	stwbrx	5, 0, 3
	addi	3, 3, 4
	bdnz	3b
	blr
	.size	swap_buffer32, . - swap_buffer32

	.section .note.GNU-stack, "", @progbits
