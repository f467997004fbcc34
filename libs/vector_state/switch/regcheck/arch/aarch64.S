/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * void regcheck_cross(void (*cross)(void), const struct registers *fill, struct registers *seen), AArch64.
 *
 * struct registers: x19 to x29 at 0, FPCR at 88, d8 to d15 at 96. The frame: x30 and `seen`, then the caller's registers
 * in the same layout from 16 on.
 */
	/* All registers but FPCR, at the address in x9. */
	.macro	each pair, one
	\pair	x19, x20, [x9]
	\pair	x21, x22, [x9, #16]
	\pair	x23, x24, [x9, #32]
	\pair	x25, x26, [x9, #48]
	\pair	x27, x28, [x9, #64]
	\one	x29, [x9, #80]
	\pair	d8, d9, [x9, #96]
	\pair	d10, d11, [x9, #112]
	\pair	d12, d13, [x9, #128]
	\pair	d14, d15, [x9, #144]
	.endm
	.macro	store_all
	each	stp, str
	mrs	x10, fpcr
	str	x10, [x9, #88]
	.endm
	.macro	load_all
	ldr	x10, [x9, #88]
	msr	fpcr, x10
	each	ldp, ldr
	.endm

	.text
	.globl	regcheck_cross
	.type	regcheck_cross, %function
regcheck_cross:
	sub	sp, sp, #176
	stp	x30, x2, [sp]
	add	x9, sp, #16
	store_all
	mov	x9, x1
	load_all
	blr	x0
	ldr	x9, [sp, #8]
	store_all
	add	x9, sp, #16
	load_all
	ldr	x30, [sp]
	add	sp, sp, #176
	ret
	.size	regcheck_cross, . - regcheck_cross

	.section .note.GNU-stack, "", %progbits
