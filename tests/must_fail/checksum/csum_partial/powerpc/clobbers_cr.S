/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares into CR2, which is callee-saved; CR0, CR1 and CR5 to CR7 would have been free.
 *
 * assay-expect: fail clobbered callee-saved register CR2, CR3 or CR4
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	cmpw	%cr2, %r4, %r5
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
