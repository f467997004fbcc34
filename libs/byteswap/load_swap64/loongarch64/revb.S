/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch has no byte-reversed load: load, then reverse.
 */
	.text
	.globl	load_swap64
	.type	load_swap64, @function
	.balign	16
load_swap64:
	ld.d	$a0, $a0, 0
	revb.d	$a0, $a0
	jr	$ra
	.size	load_swap64, . - load_swap64

	.section .note.GNU-stack, "", @progbits
