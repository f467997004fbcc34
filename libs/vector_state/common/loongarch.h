/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch: 32 registers from a0 on, and the condition flags, which have no instruction for all eight of them.
 *
 * All areas are shorter than the 2 KiB that a displacement of 12 bits reaches, so each register is one instruction. Only
 * the flags leave a choice: the kernel collects them in a register, bit field by bit field; they can as well go to memory
 * one by one, since the layout gives each a byte.
 */
#ifndef VECTOR_STATE_LOONGARCH_H
#define VECTOR_STATE_LOONGARCH_H

#include "common/function.h"

	.macro	each_register operation, prefix, bytes
	.set	vs_offset, 0
	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\operation $\prefix\number, $a0, vs_offset
	.set	vs_offset, vs_offset + \bytes
	.endr
	.endm

	.macro	save_flags_in_register at
	movcf2gr $t0, $fcc0
	.irp	number, 1,2,3,4,5,6,7
	movcf2gr $t1, $fcc\number
	bstrins.d $t0, $t1, 8 * \number + 7, 8 * \number
	.endr
	st.d	$t0, $a0, \at
	.endm

	.macro	save_flags_as_bytes at
	.irp	number, 0,1,2,3,4,5,6,7
	movcf2gr $t\number, $fcc\number
	.endr
	.irp	number, 0,1,2,3,4,5,6,7
	st.b	$t\number, $a0, \at + \number
	.endr
	.endm

	.macro	restore_flags_in_register at
	ld.d	$t0, $a0, \at
	movgr2cf $fcc0, $t0
	.irp	number, 1,2,3,4,5,6,7
	bstrpick.d $t1, $t0, 8 * \number + 7, 8 * \number
	movgr2cf $fcc\number, $t1
	.endr
	.endm

	.macro	restore_flags_as_bytes at
	.irp	number, 0,1,2,3,4,5,6,7
	ld.bu	$t\number, $a0, \at + \number
	.endr
	.irp	number, 0,1,2,3,4,5,6,7
	movgr2cf $fcc\number, $t\number
	.endr
	.endm

	.macro	save_control at
	movfcsr2gr $t8, $fcsr0
	st.w	$t8, $a0, \at
	.endm

	.macro	restore_control at
	ld.w	$t8, $a0, \at
	movgr2fcsr $fcsr0, $t8
	.endm

#endif
