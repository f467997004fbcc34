/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch has no byte-reversed store: reverse, then store. The store takes the low bits only, so nothing is cleared.
 */
	.text
	.globl	store_swap64
	.type	store_swap64, @function
	.balign	16
store_swap64:
	revb.d	$a1, $a1
	st.d	$a1, $a0, 0
	jr	$ra
	.size	store_swap64, . - store_swap64

	.section .note.GNU-stack, "", @progbits
