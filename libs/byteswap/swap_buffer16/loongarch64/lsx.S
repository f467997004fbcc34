/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 16 bytes at a time with LSX. vshuf4i shuffles within groups of four by an immediate, so no control vector is needed:
 * 0xb1 takes bytes 1, 0, 3, 2 of each four.
 *
 * assay-requires: lsx
 */
	.text
	.globl	swap_buffer16
	.type	swap_buffer16, @function
	.balign	16
swap_buffer16:
	srli.d	$t1, $a1, 3
	andi	$a1, $a1, 7
	beqz	$t1, 2f
1:	vld	$vr0, $a0, 0
	vshuf4i.b	$vr0, $vr0, 0xb1
	vst	$vr0, $a0, 0
	addi.d	$a0, $a0, 16
	addi.d	$t1, $t1, -1
	bnez	$t1, 1b
2:	beqz	$a1, 4f
3:	ld.hu	$t0, $a0, 0
	revb.2h	$t0, $t0
	st.h	$t0, $a0, 0
	addi.d	$a0, $a0, 2
	addi.d	$a1, $a1, -1
	bnez	$a1, 3b
4:	jr	$ra
	.size	swap_buffer16, . - swap_buffer16

	.section .note.GNU-stack, "", @progbits
