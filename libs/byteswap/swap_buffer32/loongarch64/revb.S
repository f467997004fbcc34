/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One element at a time. The store takes the low bits only, so nothing has to be cleared.
 */
	.text
	.globl	swap_buffer32
	.type	swap_buffer32, @function
	.balign	16
swap_buffer32:
	beqz	$a1, 2f
1:	ld.wu	$t0, $a0, 0
	revb.2w	$t0, $t0
	st.w	$t0, $a0, 0
	addi.d	$a0, $a0, 4
	addi.d	$a1, $a1, -1
	bnez	$a1, 1b
2:	jr	$ra
	.size	swap_buffer32, . - swap_buffer32

	.section .note.GNU-stack, "", @progbits
