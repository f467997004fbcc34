/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * void regcheck_cross(void (*cross)(void), const struct registers *fill, struct registers *seen), 32-bit PowerPC.
 *
 * struct registers: r14 to r31 at 0, CR at 72, VRSAVE at 76, FPSCR at 80, f14 to f31 at 88, v20 to v31 at 240, VSCR at
 * 432. The frame: two words of linkage, `seen` at 8, and the caller's registers in the same layout from 16 on.
 */
#define FRAME	 (16 + 464)

	/* All registers but the control words, at the address in r11. Changes r12. */
	.macro	each general, float, vector
	.set	offset, 0
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\general %r\number, offset(%r11)
	.set	offset, offset + 4
	.endr
#ifndef _SOFT_FLOAT
	.set	offset, 88
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\float	%f\number, offset(%r11)
	.set	offset, offset + 8
	.endr
#endif
#ifdef __ALTIVEC__
	.set	offset, 240
	.irp	number, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	li	%r12, offset
	\vector	%v\number, %r11, %r12
	.set	offset, offset + 16
	.endr
#endif
	.endm
	.macro	store_all
	each	stw, stfd, stvx
	mfcr	%r12
	stw	%r12, 72(%r11)
#ifndef _SOFT_FLOAT
	mffs	%f0
	stfd	%f0, 80(%r11)
#endif
#ifdef __ALTIVEC__
	mfspr	%r12, 256
	stw	%r12, 76(%r11)
	mfvscr	%v0
	li	%r12, 432
	stvx	%v0, %r11, %r12
#endif
	.endm
	.macro	load_all
	lwz	%r12, 72(%r11)
	mtcrf	0x38, %r12
#ifndef _SOFT_FLOAT
	lfd	%f0, 80(%r11)
	mtfsf	0xff, %f0
#endif
#ifdef __ALTIVEC__
	lwz	%r12, 76(%r11)
	mtspr	256, %r12
	li	%r12, 432
	lvx	%v0, %r11, %r12
	mtvscr	%v0
#endif
	each	lwz, lfd, lvx
	.endm

	.text
	.globl	regcheck_cross
	.type	regcheck_cross, @function
regcheck_cross:
	mflr	%r0
	stw	%r0, 4(%r1)
	stwu	%r1, -FRAME(%r1)
	stw	%r5, 8(%r1)
	addi	%r11, %r1, 16
	store_all
	mr	%r11, %r4
	load_all
	mtctr	%r3
	bctrl
	lwz	%r11, 8(%r1)
	store_all
	addi	%r11, %r1, 16
	load_all
	addi	%r1, %r1, FRAME
	lwz	%r0, 4(%r1)
	mtlr	%r0
	blr
	.size	regcheck_cross, . - regcheck_cross

	.section .note.GNU-stack, "", @progbits
