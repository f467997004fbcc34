/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Leaves the direction flag set: the next string instruction of its caller runs backwards.
 *
 * assay-expect: fail the direction flag
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	std
	movl	%edx, %eax
	ret
	.size	csum_partial, . - csum_partial
