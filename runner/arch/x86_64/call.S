/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The x86-64 System V ABI, as far as a checked call has to know it.
 *
 * Integer arguments go in rdi, rsi, rdx, rcx, r8, r9 and then on the stack; results come in rax and rdx. A
 * value narrower than a register has undefined bits above it, so a function that takes an `int` must not
 * use the upper half before it has extended it: the runner fills that half with a pattern.
 *
 * The callee preserves rbx, rbp, r12-r15 and the stack pointer. No vector register is preserved, in any
 * width. Three pieces of state are easily forgotten: the control bits of MXCSR and of the x87 control word
 * (rounding, exception masks) belong to the caller; the x87 register stack must be empty on return, which
 * an MMX instruction without `emms` violates; and the direction flag must be clear on entry and on return.
 * So must be the alignment-check flag, with which every unaligned access of the caller would fault. The status bits of MXCSR and the flags otherwise are free to change.
 *
 * The stack pointer is a multiple of 16 before the call instruction. The 128 bytes below it are a red zone
 * that no signal handler touches. Nothing above the return address belongs to the callee except its
 * stack arguments, of which the two here are read only.
 *
 * Manual: System V Application Binary Interface, AMD64 supplement 1.0, sections 3.2.1 to 3.2.3.
 */
#define RECORD_FUNCTION	 0
#define RECORD_ARGUMENT(n) (8 + 8 * (n))
#define RECORD_RESULT	 72
#define RECORD_STACK	 88
#define RECORD_RETURNED	 96
#define RECORD_OWN	 104
#define RECORD_ROUNDING	 120
#define RECORD_BEFORE	 128
#define SAVED_BYTES	 88
#define RECORD_AFTER	 (RECORD_BEFORE + SAVED_BYTES)

#define MXCSR_CONTROL	 0xffc0
/* All exceptions masked; the rounding mode lies above. x87 with its full precision. */
#define MXCSR_ROUNDING	 13
#define MXCSR_MASKED	 0x1f80
#define X87_ROUNDING	 10
#define X87_MASKED	 0x037f

#define DIRECTION	 0x400
#define ALIGNMENT_CHECK	 0x40000

/* Stores control state: mxcsr, x87 control word, x87 tag word, direction and alignment-check flag. Clobbers rcx. */
	.macro	store_control offset, record
	subq	$32, %rsp
	stmxcsr	(%rsp)
	movl	(%rsp), %ecx
	andl	$MXCSR_CONTROL, %ecx
	movq	%rcx, \offset(\record)
	fnstenv	(%rsp)
	movzwl	0(%rsp), %ecx
	movq	%rcx, \offset + 8(\record)
	movzwl	8(%rsp), %ecx
	movq	%rcx, \offset + 16(\record)
	fldcw	(%rsp)			/* fnstenv has masked all exceptions */
	addq	$32, %rsp
	pushfq
	popq	%rcx
	andl	$DIRECTION, %ecx
	movq	%rcx, \offset + 24(\record)
	pushfq
	popq	%rcx
	andl	$ALIGNMENT_CHECK, %ecx
	movq	%rcx, \offset + 32(\record)
	.endm

/* Sets the rounding modes that the record asks for. Clobbers rcx and rdx. */
	.macro	set_rounding record
	movl	RECORD_ROUNDING(\record), %ecx
	movl	%ecx, %edx
	shll	$MXCSR_ROUNDING, %ecx
	orl	$MXCSR_MASKED, %ecx
	shll	$X87_ROUNDING, %edx
	orl	$X87_MASKED, %edx
	pushq	%rcx
	ldmxcsr	(%rsp)
	movl	%edx, (%rsp)
	fldcw	(%rsp)
	popq	%rcx
	.endm

	.text
	.globl	assay_call_registers
	.type	assay_call_registers, @function
assay_call_registers:
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	subq	$8, %rsp
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movq	%rdi, current_record(%rip)
	movq	%rsp, RECORD_OWN(%rdi)
	set_rounding %rdi
	store_control RECORD_BEFORE + 48, %rdi

	movq	RECORD_BEFORE + 0(%rdi), %rbx
	movq	RECORD_BEFORE + 8(%rdi), %rbp
	movq	RECORD_BEFORE + 16(%rdi), %r12
	movq	RECORD_BEFORE + 24(%rdi), %r13
	movq	RECORD_BEFORE + 32(%rdi), %r14
	movq	RECORD_BEFORE + 40(%rdi), %r15

	/* The seventh and eighth argument lie above the stack pointer, below the guard. */
	movq	RECORD_STACK(%rdi), %rsp
	pushq	RECORD_ARGUMENT(7)(%rdi)
	pushq	RECORD_ARGUMENT(6)(%rdi)
	movq	%rdi, %rax
	movq	RECORD_ARGUMENT(0)(%rax), %rdi
	movq	RECORD_ARGUMENT(1)(%rax), %rsi
	movq	RECORD_ARGUMENT(2)(%rax), %rdx
	movq	RECORD_ARGUMENT(3)(%rax), %rcx
	movq	RECORD_ARGUMENT(4)(%rax), %r8
	movq	RECORD_ARGUMENT(5)(%rax), %r9
	call	*RECORD_FUNCTION(%rax)

	/* r8 can be trusted from here on: it holds the record, read from memory. */
	movq	current_record(%rip), %r8
	movq	%rax, RECORD_RESULT(%r8)
	movq	%rdx, RECORD_RESULT + 8(%r8)
	leaq	16(%rsp), %rax
	movq	%rax, RECORD_RETURNED(%r8)
	movq	%rbx, RECORD_AFTER + 0(%r8)
	movq	%rbp, RECORD_AFTER + 8(%r8)
	movq	%r12, RECORD_AFTER + 16(%r8)
	movq	%r13, RECORD_AFTER + 24(%r8)
	movq	%r14, RECORD_AFTER + 32(%r8)
	movq	%r15, RECORD_AFTER + 40(%r8)
	movq	RECORD_OWN(%r8), %rsp
	store_control RECORD_AFTER + 48, %r8

	/* Whatever was found, the runner's own C needs the state that the ABI promises. */
	cld
	pushfq
	andl	$~ALIGNMENT_CHECK, (%rsp)
	popfq
	emms
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	addq	$8, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret
	.size	assay_call_registers, . - assay_call_registers

	.bss
	.balign	8
current_record:
	.zero	8

	.section .note.GNU-stack, "", @progbits
