/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses LSX without claiming it: LoongArch does not promise it.
 *
 * assay-expect: fail SIGILL
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	vxor.v	$vr0, $vr0, $vr0
	move	$a0, $a2
	ret
	.size	csum_partial, . - csum_partial
