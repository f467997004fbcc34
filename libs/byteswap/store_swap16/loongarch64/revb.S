/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch has no byte-reversed store: reverse, then store. The store takes the low bits only, so nothing is cleared.
 */
	.text
	.globl	store_swap16
	.type	store_swap16, @function
	.balign	16
store_swap16:
	revb.2h	$a1, $a1
	st.h	$a1, $a0, 0
	jr	$ra
	.size	store_swap16, . - store_swap16

	.section .note.GNU-stack, "", @progbits
