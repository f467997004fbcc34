/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32 bytes at a time with LASX. xvshuf4i shuffles within groups of four by an immediate, so no control vector is needed:
 * 0x1b takes bytes 3, 2, 1, 0 of each four.
 *
 * assay-requires: lasx
 */
	.text
	.globl	swap_buffer32
	.type	swap_buffer32, @function
	.balign	16
swap_buffer32:
	srli.d	$t1, $a1, 3
	andi	$a1, $a1, 7
	beqz	$t1, 2f
1:	xvld	$xr0, $a0, 0
	xvshuf4i.b	$xr0, $xr0, 0x1b
	xvst	$xr0, $a0, 0
	addi.d	$a0, $a0, 32
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
