/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses v20 as a temporary: it looks like any other vector register and is callee-saved.
 *
 * assay-expect: fail clobbered callee-saved register v20
 */
	.abiversion 2
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	vxor	%v20, %v20, %v20
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
