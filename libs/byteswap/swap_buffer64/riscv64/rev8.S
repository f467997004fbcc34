/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One element at a time with rev8 of Zbb. The base ISA does not promise that a misaligned access works in user mode,
 * but Linux does.
 *
 * assay-requires: zbb
 */
	.text
	.globl	swap_buffer64
	.type	swap_buffer64, @function
	.balign	16
swap_buffer64:
	.option	arch, +zbb
	beqz	a1, 2f
1:	ld	t0, 0(a0)
	rev8	t0, t0
	sd	t0, 0(a0)
	addi	a0, a0, 8
	addi	a1, a1, -1
	bnez	a1, 1b
2:	ret
	.size	swap_buffer64, . - swap_buffer64

	.section .note.GNU-stack, "", @progbits
