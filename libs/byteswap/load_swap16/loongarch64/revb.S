/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch has no byte-reversed load: load, then reverse. The halfword comes zero-extended, but revb.2h sign-extends its result.
 */
	.text
	.globl	load_swap16
	.type	load_swap16, @function
	.balign	16
load_swap16:
	ld.hu	$a0, $a0, 0
	revb.2h	$a0, $a0
	bstrpick.d $a0, $a0, 15, 0
	jr	$ra
	.size	load_swap16, . - load_swap16

	.section .note.GNU-stack, "", @progbits
