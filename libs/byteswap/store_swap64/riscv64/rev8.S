/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse with Zbb, then store.
 *
 * assay-requires: zbb
 */
	.text
	.globl	store_swap64
	.type	store_swap64, @function
	.balign	16
store_swap64:
	.option	arch, +zbb
	rev8	a1, a1
	sd	a1, 0(a0)
	ret
	.size	store_swap64, . - store_swap64

	.section .note.GNU-stack, "", @progbits
