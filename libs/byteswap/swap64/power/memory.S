/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Through memory, as the kernel's BPF JIT does it: store, then load with the bytes reversed. Three instructions, and
 * as slow as the core's store-to-load forwarding: the question of the 2017 thread. The doubleword lies in the 288
 * bytes below the stack pointer that ELFv2 protects (section 2.2.2.4 of the ABI). ldbrx came with ISA 2.06.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
	std	3, -8(1)
	addi	4, 1, -8
	ldbrx	3, 0, 4
	blr
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
