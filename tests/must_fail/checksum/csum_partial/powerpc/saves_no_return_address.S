/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keeps a value in the word at 4(r1), which is for the return address: a debugger's backtrace is wrong.
 *
 * assay-expect: fail what is not the return address into its caller's LR save word
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	stw	%r5, 4(%r1)
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
