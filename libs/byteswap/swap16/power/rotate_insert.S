/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel's BPF JIT emits: one byte by rotate and mask, the other inserted beside it, and a move.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	swap16
	.type	swap16, @function
	.balign	16
swap16:
	rlwinm	4, 3, 8, 16, 23
	rlwimi	4, 3, 24, 24, 31
	mr	3, 4
	blr
	.size	swap16, . - swap16

	.section .note.GNU-stack, "", @progbits
