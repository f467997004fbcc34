/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * revb.2h reverses the two low halfwords and sign-extends the word; the pick leaves one halfword.
 */
	.text
	.globl	swap16
	.type	swap16, @function
	.balign	16
swap16:
	revb.2h	$a0, $a0
	bstrpick.d $a0, $a0, 15, 0
	jr	$ra
	.size	swap16, . - swap16

	.section .note.GNU-stack, "", @progbits
