/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 16 bytes at a time with LSX. vshuf4i shuffles within groups of four by an immediate, so no control vector is needed:
 * 0x1b takes bytes 3, 2, 1, 0 of each four.
 *
 * assay-requires: lsx
 */
	.text
	.globl	swap_buffer32
	.type	swap_buffer32, @function
	.balign	16
swap_buffer32:
	srli.d	$t1, $a1, 2
	andi	$a1, $a1, 3
	beqz	$t1, 2f
1:	vld	$vr0, $a0, 0
	vshuf4i.b	$vr0, $vr0, 0x1b
	vst	$vr0, $a0, 0
	addi.d	$a0, $a0, 16
	addi.d	$t1, $t1, -1
	bnez	$t1, 1b
2:	beqz	$a1, 4f
3:	ld.wu	$t0, $a0, 0
	revb.2w	$t0, $t0
	st.w	$t0, $a0, 0
	addi.d	$a0, $a0, 4
	addi.d	$a1, $a1, -1
	bnez	$a1, 3b
4:	jr	$ra
	.size	swap_buffer32, . - swap_buffer32

	.section .note.GNU-stack, "", @progbits
