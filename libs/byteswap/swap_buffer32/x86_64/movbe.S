/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plain load and a store that reverses, one element at a time.
 *
 * assay-requires: movbe
 */
	.text
	.globl	swap_buffer32
	.type	swap_buffer32, @function
	.balign	16
swap_buffer32:
	test	%rsi, %rsi
	jz	2f
1:	movl	(%rdi), %eax
	movbe	%eax, (%rdi)
	add	$4, %rdi
	dec	%rsi
	jnz	1b
2:	ret
	.size	swap_buffer32, . - swap_buffer32

	.section .note.GNU-stack, "", @progbits
