/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses the scalable vector extension, which plain ARMv8-A lacks.
 *
 * assay-expect: fail SIGILL
 */
	.arch_extension sve
	.globl	csum_partial
	.type	csum_partial, %function
csum_partial:
	cntd	x3
	mov	w0, w2
	ret
	.size	csum_partial, . - csum_partial
