/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Leaves the alignment-check flag set: its caller's next unaligned access faults.
 *
 * assay-expect: fail the alignment-check flag
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	pushfq
	orl	$0x40000, (%rsp)
	popfq
	movl	%edx, %eax
	ret
	.size	csum_partial, . - csum_partial
