/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * void regcheck_cross(void (*cross)(void), const struct registers *fill, struct registers *seen), LoongArch.
 *
 * struct registers: fp and s0 to s8 at 0, fcsr0 at 80, fs0 to fs7 at 88. The frame: ra and `seen`, then the caller's
 * registers in the same layout from 16 on.
 */
	/* All registers but fcsr0, at the address in t0. fp is $r22, s0 to s8 follow. */
	.macro	each general, float
	.set	offset, 0
	.irp	number, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\general $r\number, $t0, offset
	.set	offset, offset + 8
	.endr
	.set	offset, 88
	.irp	number, 24, 25, 26, 27, 28, 29, 30, 31
	\float	$f\number, $t0, offset
	.set	offset, offset + 8
	.endr
	.endm
	.macro	store_all
	each	st.d, fst.d
	movfcsr2gr $t1, $fcsr0
	st.d	$t1, $t0, 80
	.endm
	.macro	load_all
	ld.d	$t1, $t0, 80
	movgr2fcsr $fcsr0, $t1
	each	ld.d, fld.d
	.endm

	.text
	.globl	regcheck_cross
	.type	regcheck_cross, @function
regcheck_cross:
	addi.d	$sp, $sp, -176
	st.d	$ra, $sp, 0
	st.d	$a2, $sp, 8
	addi.d	$t0, $sp, 16
	store_all
	move	$t0, $a1
	load_all
	jirl	$ra, $a0, 0
	ld.d	$t0, $sp, 8
	store_all
	addi.d	$t0, $sp, 16
	load_all
	ld.d	$ra, $sp, 0
	addi.d	$sp, $sp, 176
	jr	$ra
	.size	regcheck_cross, . - regcheck_cross

	.section .note.GNU-stack, "", @progbits
