/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One element at a time with rev8 of Zbb. The base ISA does not promise that a misaligned access works in user mode,
 * but Linux does.
 *
 * assay-requires: zbb
 */
	.text
	.globl	swap_buffer16
	.type	swap_buffer16, @function
	.balign	16
swap_buffer16:
	.option	arch, +zbb
	beqz	a1, 2f
1:	lhu	t0, 0(a0)
	rev8	t0, t0
	srli	t0, t0, 48
	sh	t0, 0(a0)
	addi	a0, a0, 2
	addi	a1, a1, -1
	bnez	a1, 1b
2:	ret
	.size	swap_buffer16, . - swap_buffer16

	.section .note.GNU-stack, "", @progbits
