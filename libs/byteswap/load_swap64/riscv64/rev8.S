/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Load, then reverse with Zbb.
 *
 * assay-requires: zbb
 */
	.text
	.globl	load_swap64
	.type	load_swap64, @function
	.balign	16
load_swap64:
	.option	arch, +zbb
	ld	a0, 0(a0)
	rev8	a0, a0
	ret
	.size	load_swap64, . - load_swap64

	.section .note.GNU-stack, "", @progbits
