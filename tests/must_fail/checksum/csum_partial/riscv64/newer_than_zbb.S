/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Claims the basic bit manipulation and uses that of addresses (sh1add).
 *
 * assay-requires: zbb
 * assay-expect: fail SIGILL
 */
	.option arch, +zba
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	sh1add	t0, a1, a1
	mv	a0, a2
	ret
	.size	csum_partial, . - csum_partial
