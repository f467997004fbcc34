/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32 bytes at a time with LASX. xvshuf4i shuffles within groups of four by an immediate, so no control vector is needed:
 * 0xb1 takes bytes 1, 0, 3, 2 of each four.
 *
 * assay-requires: lasx
 */
	.text
	.globl	swap_buffer16
	.type	swap_buffer16, @function
	.balign	16
swap_buffer16:
	srli.d	$t1, $a1, 4
	andi	$a1, $a1, 15
	beqz	$t1, 2f
1:	xvld	$xr0, $a0, 0
	xvshuf4i.b	$xr0, $xr0, 0xb1
	xvst	$xr0, $a0, 0
	addi.d	$a0, $a0, 32
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
