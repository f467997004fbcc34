/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saves a register at 12(r1), in its caller's frame: only the word at 4(r1) is lent to it.
 *
 * assay-expect: fail into its caller's frame header
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	stw	%r31, 12(%r1)
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
