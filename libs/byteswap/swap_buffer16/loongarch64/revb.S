/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One element at a time. The store takes the low bits only, so nothing has to be cleared.
 */
	.text
	.globl	swap_buffer16
	.type	swap_buffer16, @function
	.balign	16
swap_buffer16:
	beqz	$a1, 2f
1:	ld.hu	$t0, $a0, 0
	revb.2h	$t0, $t0
	st.h	$t0, $a0, 0
	addi.d	$a0, $a0, 2
	addi.d	$a1, $a1, -1
	bnez	$a1, 1b
2:	jr	$ra
	.size	swap_buffer16, . - swap_buffer16

	.section .note.GNU-stack, "", @progbits
