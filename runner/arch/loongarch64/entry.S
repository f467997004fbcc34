/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 64-bit LoongArch Linux: program entry and system calls.
 *
 * The kernel starts a program with the stack pointer at argc. System calls take their number in a7 and
 * arguments in a0 to a5; errors come back as -4095..-1 in a0. The t registers are lost in a system call.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	move	$a0, $sp
	bstrins.d $sp, $zero, 3, 0
	bl	assay_main
	break	0
	.size	_start, . - _start

	.globl	assay_syscall
	.type	assay_syscall, @function
assay_syscall:
	move	$a7, $a0
	move	$a0, $a1
	move	$a1, $a2
	move	$a2, $a3
	move	$a3, $a4
	move	$a4, $a5
	move	$a5, $a6
	syscall	0
	ret
	.size	assay_syscall, . - assay_syscall

	.section .note.GNU-stack, "", @progbits
