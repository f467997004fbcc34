/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Says in VRSAVE that no vector register is in use: that is its caller's to say.
 *
 * assay-expect: fail clobbered callee-saved register VRSAVE
 */
	.abiversion 2
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	li	%r0, 0
	mtspr	256, %r0
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
