/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Load, then reverse with Zbb.
 *
 * assay-requires: zbb
 */
	.text
	.globl	load_swap32
	.type	load_swap32, @function
	.balign	16
load_swap32:
	.option	arch, +zbb
	lwu	a0, 0(a0)
	rev8	a0, a0
	srli	a0, a0, 32
	ret
	.size	load_swap32, . - load_swap32

	.section .note.GNU-stack, "", @progbits
