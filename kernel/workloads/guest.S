/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The guest of guest_switch: loads vs0 to vs63 from its memory, makes a hypercall, stores the registers to its memory,
 * and repeats this. r4 counts the calls. It runs without translation at GUEST_CODE (guest.h) and never ends.
 */
#include "guest.h"

	.abiversion 2
	.machine "power8"
	.section .rodata
	.globl	guest_code
guest_code:
	li	%r4, 0
1:	lis	%r9, GUEST_FILL >> 16
	.set	n, 0
	.rept	64
	lxvd2x	n, 0, %r9
	addi	%r9, %r9, 16
	.set	n, n + 1
	.endr
	addi	%r4, %r4, 1
	li	%r3, GUEST_CALL
	sc	1
	lis	%r9, GUEST_FOUND >> 16
	.set	n, 0
	.rept	64
	stxvd2x	n, 0, %r9
	addi	%r9, %r9, 16
	.set	n, n + 1
	.endr
	b	1b
	.globl	guest_code_end
guest_code_end:
	.section .note.GNU-stack, "", @progbits
