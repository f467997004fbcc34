/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses an instruction of POWER9 (modsd) and claims POWER8, on which it is illegal.
 *
 * assay-requires: power8
 * assay-expect: fail SIGILL
 */
	.abiversion 2
	.machine power9
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	li	%r6, 7
	modsd	%r7, %r4, %r6
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
