/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stores over the back chain at 0(r1), which debuggers follow; it makes no frame, so that is its caller's.
 *
 * assay-expect: fail clobbered its caller's back chain
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	stw	%r1, 0(%r1)
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
