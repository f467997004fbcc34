/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses v31 as a temporary: it is callee-saved, also on 32-bit machines with AltiVec.
 *
 * assay-requires: altivec
 * assay-expect: fail clobbered callee-saved register v31
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	vxor	%v31, %v31, %v31
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
