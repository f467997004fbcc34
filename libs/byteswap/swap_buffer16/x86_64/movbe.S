/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plain load and a store that reverses, one element at a time.
 *
 * assay-requires: movbe
 */
	.text
	.globl	swap_buffer16
	.type	swap_buffer16, @function
	.balign	16
swap_buffer16:
	test	%rsi, %rsi
	jz	2f
1:	movzwl	(%rdi), %eax
	movbe	%ax, (%rdi)
	add	$2, %rdi
	dec	%rsi
	jnz	1b
2:	ret
	.size	swap_buffer16, . - swap_buffer16

	.section .note.GNU-stack, "", @progbits
