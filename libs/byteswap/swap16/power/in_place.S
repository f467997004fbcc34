/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two instructions and no other register: copy the low byte above the high one, which makes low, high, low; then shift
 * right by one byte and mask.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	swap16
	.type	swap16, @function
	.balign	16
swap16:
	rlwimi	3, 3, 16, 8, 15
	rlwinm	3, 3, 24, 16, 31
	blr
	.size	swap16, . - swap16

	.section .note.GNU-stack, "", @progbits
