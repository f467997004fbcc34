/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses AVX2 without claiming it: the first x86-64 processors have none.
 *
 * assay-expect: fail SIGILL
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	vpxor	%ymm0, %ymm0, %ymm0
	vpaddq	%ymm0, %ymm0, %ymm0
	movl	%edx, %eax
	ret
	.size	csum_partial, . - csum_partial
