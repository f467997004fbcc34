/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rev16 swaps both halfwords of the word; the upper one is cleared.
 */
	.text
	.globl	swap16
	.type	swap16, %function
	.balign	16
swap16:
	rev16	w0, w0
	uxth	w0, w0
	ret
	.size	swap16, . - swap16

	.section .note.GNU-stack, "", %progbits
