/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 64-bit POWER Linux (ELFv2, both byte orders): program entry and system calls.
 *
 * The kernel starts a program with r1 at argc. r12 holds the entry address there, but only if kernel and
 * emulator agree that this is ELFv2, so the TOC pointer is made from the program counter instead. System
 * calls take their number in r0 and arguments in r3 to r8. An error sets CR0's summary overflow bit and
 * leaves a positive errno in r3, which is turned into the negative form of the other architectures.
 */
	.abiversion 2
	.text
	.globl	_start
	.type	_start, @function
_start:
	bcl	20, 31, 0f
0:	mflr	%r2
	addis	%r2, %r2, (.TOC. - 0b)@ha
	addi	%r2, %r2, (.TOC. - 0b)@l
	mr	%r3, %r1
	clrrdi	%r1, %r1, 4
	li	%r0, 0
	stdu	%r0, -64(%r1)
	bl	assay_main
	nop
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
