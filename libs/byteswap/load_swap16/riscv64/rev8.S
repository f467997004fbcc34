/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Load, then reverse with Zbb.
 *
 * assay-requires: zbb
 */
	.text
	.globl	load_swap16
	.type	load_swap16, @function
	.balign	16
load_swap16:
	.option	arch, +zbb
	lhu	a0, 0(a0)
	rev8	a0, a0
	srli	a0, a0, 48
	ret
	.size	load_swap16, . - load_swap16

	.section .note.GNU-stack, "", @progbits
