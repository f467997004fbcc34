/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses the basic bit manipulation (cpop) without claiming it.
 *
 * assay-expect: fail SIGILL
 */
	.option arch, +zbb
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	cpop	t0, a1
	mv	a0, a2
	ret
	.size	csum_partial, . - csum_partial
