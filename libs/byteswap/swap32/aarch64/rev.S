/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * On the 32-bit register, which clears the upper half. rev32 on the 64-bit one would swap that half too: a bug in an
 * eBPF JIT in 2024.
 */
	.text
	.globl	swap32
	.type	swap32, %function
	.balign	16
swap32:
	rev	w0, w0
	ret
	.size	swap32, . - swap32

	.section .note.GNU-stack, "", %progbits
