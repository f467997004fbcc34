/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes VSCR's non-Java bit, so its caller's vector arithmetic flushes denormals to zero.
 *
 * assay-expect: fail clobbered callee-saved register VSCR
 */
	.abiversion 2
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	mfvscr	%v0
	vspltisw %v1, 1
	vspltisw %v2, -16		/* a shift by 16 */
	vslw	%v1, %v1, %v2
	vxor	%v0, %v0, %v1
	mtvscr	%v0
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
