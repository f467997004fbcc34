/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch has no byte-reversed load: load, then reverse. The unsigned load leaves the upper word zero, and revb.2w keeps it so: no clearing, unlike the swap of a register.
 */
	.text
	.globl	load_swap32
	.type	load_swap32, @function
	.balign	16
load_swap32:
	ld.wu	$a0, $a0, 0
	revb.2w	$a0, $a0
	jr	$ra
	.size	load_swap32, . - load_swap32

	.section .note.GNU-stack, "", @progbits
