/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * void regcheck_cross(void (*cross)(void), const struct registers *fill, struct registers *seen), RISC-V.
 *
 * struct registers: s0 to s11 at 0, frm at 96, fs0 to fs11 at 104. The frame: ra and `seen`, then the caller's registers in
 * the same layout from 16 on.
 */
	/* All registers but frm, at the address in t0. */
	.macro	each general, float
	.set	offset, 0
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\general s\number, offset(t0)
	.set	offset, offset + 8
	.endr
	.set	offset, 104
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\float	fs\number, offset(t0)
	.set	offset, offset + 8
	.endr
	.endm
	.macro	store_all
	each	sd, fsd
	frrm	t1
	sd	t1, 96(t0)
	.endm
	.macro	load_all
	ld	t1, 96(t0)
	fsrm	t1
	each	ld, fld
	.endm

	.text
	.globl	regcheck_cross
	.type	regcheck_cross, @function
regcheck_cross:
	addi	sp, sp, -224
	sd	ra, 0(sp)
	sd	a2, 8(sp)
	addi	t0, sp, 16
	store_all
	mv	t0, a1
	load_all
	jalr	a0
	ld	t0, 8(sp)
	store_all
	addi	t0, sp, 16
	load_all
	ld	ra, 0(sp)
	addi	sp, sp, 224
	ret
	.size	regcheck_cross, . - regcheck_cross

	.section .note.GNU-stack, "", @progbits
