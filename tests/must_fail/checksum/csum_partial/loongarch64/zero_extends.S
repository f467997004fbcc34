/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Returns 32 bits zero-extended. The ABI sign-extends them, although the type is unsigned.
 *
 * assay-expect: fail the ABI wants a 32-bit result sign-extended
 */
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	bstrpick.d $a0, $a2, 31, 0
	bnez	$a0, 1f
	addi.w	$a0, $zero, -1
	bstrpick.d $a0, $a0, 31, 0
1:	ret
	.size	csum_partial, . - csum_partial
