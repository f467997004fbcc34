/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses r2 as a temporary. On 32-bit PowerPC it is the thread pointer, and in the kernel the current task.
 *
 * assay-expect: fail clobbered callee-saved register r2
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	mr	%r2, %r5
	mr	%r3, %r5
	blr
	.size	csum_partial, . - csum_partial
