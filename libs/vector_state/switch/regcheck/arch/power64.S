/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * void regcheck_cross(void (*cross)(void), const struct registers *fill, struct registers *seen), ELFv2.
 *
 * struct registers: r14 to r31 at 0, CR at 144, FPSCR at 152, f14 to f31 at 160, v20 to v31 at 304, VSCR at 496. The
 * frame: 32 bytes of linkage, `seen` at 40, and the caller's registers in the same layout from 48 on.
 */
#define FRAME	 (48 + 512)

	/* All registers but the control words, at the address in r11. Changes r12. */
	.macro	each general, float, vector
	.set	offset, 0
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\general %r\number, offset(%r11)
	.set	offset, offset + 8
	.endr
	.set	offset, 160
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\float	%f\number, offset(%r11)
	.set	offset, offset + 8
	.endr
	.irp	number, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	li	%r12, offset
	\vector	%v\number, %r11, %r12
	.set	offset, offset + 16
	.endr
	.endm
	.macro	store_all
	each	std, stfd, stvx
	mfcr	%r12
	std	%r12, 144(%r11)
	mffs	%f0
	stfd	%f0, 152(%r11)
	mfvscr	%v0
	li	%r12, 496
	stvx	%v0, %r11, %r12
	.endm
	.macro	load_all
	ld	%r12, 144(%r11)
	mtcrf	0x38, %r12
	lfd	%f0, 152(%r11)
	mtfsf	0xff, %f0, 1, 0
	li	%r12, 496
	lvx	%v0, %r11, %r12
	mtvscr	%v0
	each	ld, lfd, lvx
	.endm

	.machine power7
	.abiversion 2
	.text
	.globl	regcheck_cross
	.type	regcheck_cross, @function
regcheck_cross:
	mflr	%r0
	std	%r0, 16(%r1)
	stdu	%r1, -FRAME(%r1)
	std	%r2, 24(%r1)
	std	%r5, 40(%r1)
	addi	%r11, %r1, 48
	store_all
	mr	%r11, %r4
	load_all
	mtctr	%r3
	mr	%r12, %r3
	bctrl
	ld	%r2, 24(%r1)
	ld	%r11, 40(%r1)
	store_all
	addi	%r11, %r1, 48
	load_all
	addi	%r1, %r1, FRAME
	ld	%r0, 16(%r1)
	mtlr	%r0
	blr
	.size	regcheck_cross, . - regcheck_cross

	.section .note.GNU-stack, "", @progbits
