/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses AltiVec without claiming it: an e300 or an MPC8xx has none.
 *
 * assay-expect: fail SIGILL
 */
	.machine altivec
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	vxor	%v0, %v0, %v0
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
