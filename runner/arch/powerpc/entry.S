/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit PowerPC Linux: program entry and system calls.
 *
 * The kernel starts a program with r1 at argc. System calls take their number in r0 and arguments in r3 to
 * r8. An error sets CR0's summary overflow bit and leaves a positive errno in r3, which is turned into the
 * negative form of the other architectures.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	mr	%r3, %r1
	clrrwi	%r1, %r1, 4
	li	%r0, 0
	stwu	%r0, -32(%r1)
	bl	assay_main
	trap
	.size	_start, . - _start

	.globl	assay_syscall
	.type	assay_syscall, @function
assay_syscall:
	mr	%r0, %r3
	mr	%r3, %r4
	mr	%r4, %r5
	mr	%r5, %r6
	mr	%r6, %r7
	mr	%r7, %r8
	mr	%r8, %r9
	sc
	bnslr
	neg	%r3, %r3
	blr
	.size	assay_syscall, . - assay_syscall

	.section .note.GNU-stack, "", @progbits
