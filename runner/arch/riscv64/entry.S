/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 64-bit RISC-V Linux: program entry and system calls.
 *
 * The kernel starts a program with the stack pointer at argc. gp is left alone: nothing here is linked with
 * gp relaxation, so the checked call may fill it with a pattern. System calls take their number in a7 and
 * arguments in a0 to a5; errors come back as -4095..-1 in a0.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	mv	a0, sp
	andi	sp, sp, -16
	call	assay_main
	unimp
	.size	_start, . - _start

	.globl	assay_syscall
	.type	assay_syscall, @function
assay_syscall:
	mv	a7, a0
	mv	a0, a1
	mv	a1, a2
	mv	a2, a3
	mv	a3, a4
	mv	a4, a5
	mv	a5, a6
	ecall
	ret
	.size	assay_syscall, . - assay_syscall

	.section .note.GNU-stack, "", @progbits
