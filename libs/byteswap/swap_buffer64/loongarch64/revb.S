/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One element at a time. The store takes the low bits only, so nothing has to be cleared.
 */
	.text
	.globl	swap_buffer64
	.type	swap_buffer64, @function
	.balign	16
swap_buffer64:
	beqz	$a1, 2f
1:	ld.d	$t0, $a0, 0
	revb.d	$t0, $t0
	st.d	$t0, $a0, 0
	addi.d	$a0, $a0, 8
	addi.d	$a1, $a1, -1
	bnez	$a1, 1b
2:	jr	$ra
	.size	swap_buffer64, . - swap_buffer64

	.section .note.GNU-stack, "", @progbits
