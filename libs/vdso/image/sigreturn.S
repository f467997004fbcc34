/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a signal handler returns to, on the architectures whose kernel has it in the vDSO: the system call rt_sigreturn.
 * A kernel that maps our image would set it as the handler's return address. Unwinders recognise it by its name and by its
 * code, so it consists of these two instructions only.
 */
	.text
#if defined(__aarch64__)
	/* An unwinder looks up the instruction before the return address, so there has to be one. */
	nop
	.globl	__kernel_rt_sigreturn
	.type	__kernel_rt_sigreturn, %function
__kernel_rt_sigreturn:
	.cfi_startproc
	.cfi_signal_frame
	mov	x8, #139
	svc	#0
	.cfi_endproc
	.size	__kernel_rt_sigreturn, . - __kernel_rt_sigreturn
#elif defined(__riscv)
	.globl	__vdso_rt_sigreturn
	.type	__vdso_rt_sigreturn, @function
__vdso_rt_sigreturn:
	.cfi_startproc
	.cfi_signal_frame
	li	a7, 139
	ecall
	.cfi_endproc
	.size	__vdso_rt_sigreturn, . - __vdso_rt_sigreturn
#elif defined(__loongarch__)
	.globl	__vdso_rt_sigreturn
	.type	__vdso_rt_sigreturn, @function
__vdso_rt_sigreturn:
	.cfi_startproc
	.cfi_signal_frame
	li.w	$a7, 139
	syscall	0
	.cfi_endproc
	.size	__vdso_rt_sigreturn, . - __vdso_rt_sigreturn
#endif
	.section .note.GNU-stack, "", %progbits
