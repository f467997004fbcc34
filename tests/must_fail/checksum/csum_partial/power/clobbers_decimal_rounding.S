/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Returns with another decimal rounding mode than it was called with, in the upper word of FPSCR.
 *
 * assay-expect: fail clobbered callee-saved register FPSCR
 */
	.abiversion 2
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	mtfsfi	7, 1, 1
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
