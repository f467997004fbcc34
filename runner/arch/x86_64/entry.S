/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64 Linux: program entry and system calls.
 *
 * The kernel starts a program with the stack pointer at argc and nothing else promised. System calls take
 * their number in rax and arguments in rdi, rsi, rdx, r10, r8, r9 (r10 in the place of the C ABI's rcx,
 * which `syscall` overwrites with the return address, as it does r11 with the flags); errors come back as
 * -4095..-1 in rax.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	andq	$-16, %rsp
	call	assay_main
	ud2
	.size	_start, . - _start

	.globl	assay_syscall
	.type	assay_syscall, @function
assay_syscall:
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	ret
	.size	assay_syscall, . - assay_syscall

	/* Where a signal handler returns to: the kernel removes the signal frame (rt_sigreturn). */
	.globl	assay_sigreturn
	.type	assay_sigreturn, @function
assay_sigreturn:
	movl	$15, %eax
	syscall
	.size	assay_sigreturn, . - assay_sigreturn

	.section .note.GNU-stack, "", @progbits
