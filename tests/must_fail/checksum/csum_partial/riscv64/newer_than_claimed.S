/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses the vector extension without claiming it.
 *
 * assay-expect: fail SIGILL
 */
	.option arch, +v
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	vsetvli	t0, a1, e8, m1, ta, ma
	mv	a0, a2
	ret
	.size	csum_partial, . - csum_partial
