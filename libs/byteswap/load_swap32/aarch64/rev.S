/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Load, then reverse.
 */
	.text
	.globl	load_swap32
	.type	load_swap32, %function
	.balign	16
load_swap32:
	ldr	w0, [x0]
	rev	w0, w0
	ret
	.size	load_swap32, . - load_swap32

	.section .note.GNU-stack, "", %progbits
