/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Leaves the x87 unit as fninit makes it, with the usual rounding mode and not its caller's.
 *
 * assay-expect: fail the x87 control word
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	fninit
	movl	%edx, %eax
	ret
	.size	csum_partial, . - csum_partial
