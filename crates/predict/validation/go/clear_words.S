/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* clear_words(from, end): the loop of Go's runtime (memclr), with its test above; it stands at a multiple of 16. */
	.text
	.balign	16
	.globl	clear_words
	.type	clear_words, @function
clear_words:
0:	sltu	$t0, $a0, $a1
	beqz	$t0, 1f
	st.d	$zero, $a0, 0
	addi.d	$a0, $a0, 8
	b	0b
1:	ret
	.size	clear_words, . - clear_words
	.section .note.GNU-stack, "", @progbits
