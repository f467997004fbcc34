/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * AArch64 Linux: program entry and system calls.
 *
 * The kernel starts a program with the stack pointer at argc. System calls take their number in x8 and
 * arguments in x0 to x5; errors come back as -4095..-1 in x0. All other registers are preserved.
 */
	.text
	.globl	_start
	.type	_start, %function
_start:
	mov	x29, xzr
	mov	x30, xzr
	mov	x0, sp
	bl	assay_main
	brk	#0
	.size	_start, . - _start

	.globl	assay_syscall
	.type	assay_syscall, %function
assay_syscall:
	mov	x8, x0
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	mov	x3, x4
	mov	x4, x5
	mov	x5, x6
	svc	#0
	ret
	.size	assay_syscall, . - assay_syscall

	.section .note.GNU-stack, "", %progbits
