/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse with Zbb, then store.
 *
 * assay-requires: zbb
 */
	.text
	.globl	store_swap32
	.type	store_swap32, @function
	.balign	16
store_swap32:
	.option	arch, +zbb
	rev8	a1, a1
	srli	a1, a1, 32
	sw	a1, 0(a0)
	ret
	.size	store_swap32, . - store_swap32

	.section .note.GNU-stack, "", @progbits
