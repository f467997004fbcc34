/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * revb.2w reverses both words, so the upper one is cleared. A BPF JIT that sign-extended here gave wrong 64-bit
 * comparisons until 2023.
 */
	.text
	.globl	swap32
	.type	swap32, @function
	.balign	16
swap32:
	revb.2w	$a0, $a0
	bstrpick.d $a0, $a0, 31, 0
	jr	$ra
	.size	swap32, . - swap32

	.section .note.GNU-stack, "", @progbits
