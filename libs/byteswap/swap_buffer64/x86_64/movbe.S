/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plain load and a store that reverses, one element at a time.
 *
 * assay-requires: movbe
 */
	.text
	.globl	swap_buffer64
	.type	swap_buffer64, @function
	.balign	16
swap_buffer64:
	test	%rsi, %rsi
	jz	2f
1:	movq	(%rdi), %rax
	movbe	%rax, (%rdi)
	add	$8, %rdi
	dec	%rsi
	jnz	1b
2:	ret
	.size	swap_buffer64, . - swap_buffer64

	.section .note.GNU-stack, "", @progbits
