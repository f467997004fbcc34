/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse with Zbb, then store.
 *
 * assay-requires: zbb
 */
	.text
	.globl	store_swap16
	.type	store_swap16, @function
	.balign	16
store_swap16:
	.option	arch, +zbb
	rev8	a1, a1
	srli	a1, a1, 48
	sh	a1, 0(a0)
	ret
	.size	store_swap16, . - store_swap16

	.section .note.GNU-stack, "", @progbits
