/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Load, then reverse.
 */
	.text
	.globl	load_swap64
	.type	load_swap64, %function
	.balign	16
load_swap64:
	ldr	x0, [x0]
	rev	x0, x0
	ret
	.size	load_swap64, . - load_swap64

	.section .note.GNU-stack, "", %progbits
