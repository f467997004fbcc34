/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64, System V ABI (Linux, the BSDs, macOS; not Windows, which also preserves rdi, rsi and xmm6 to xmm15).
 *
 * Registers. A call preserves rbx, rbp, r12 to r15 and rsp: six registers and the stack pointer. No vector register of any
 * width and no mask register is preserved, so a switch has none to save: all of xmm, ymm and zmm are dead across a
 * call. What is preserved besides is control: the control bits of MXCSR (rounding, exception masks, flush-to-zero and
 * denormals-are-zero) and the x87 control word (rounding, precision, masks). Their status bits are free. x87 must be in
 * x87 mode and the direction flag clear at every call, so neither is state.
 *
 * Control words. The x87 control word is compared with that of the context which goes on, and written only if it differs,
 * which in nearly all programs is never: fldcw is microcode. MXCSR is compared on Intel's processors alone, by its control
 * bits. There a ldmxcsr after a stmxcsr takes 6 ns if it changes nothing and 69 if it changes anything, be it a status bit
 * that one context's arithmetic has set and the other's has not (measured on Emerald Rapids); the switch takes 71 ns with
 * the write and 3.9 with the comparison. On Zen 3 the comparison costs more than the write. As a ratio to Boost's time, which
 * always writes both: 1.19 with both compared, 0.95 with the x87 word compared, 1.01 with none compared, 0.75 with neither
 * read nor written. All by make bench. Whether a context compares MXCSR is in its frame, and each save copies it from the
 * last: context_create asks the processor, and the context that a thread began with learns it from the first one that it
 * switches to. ldmxcsr also restores the saved status bits, on which nobody may rely. The x87's stay, except where the new control
 * word would make a trap of them.
 *
 * Way back. `ret` is predicted by a stack of return addresses, and a switch returns to another place than the last call came
 * from, so it would be mispredicted every time. An indirect jump is predicted by its history. The price is one extra entry on
 * the return stack a switch, which later returns of the context meet.
 *
 * The red zone. The 128 bytes under rsp belong to leaf functions, and signal handlers stay out of them. context_switch is
 * called, so its caller is no leaf; the frame is made by moving rsp first and storing then.
 *
 * Limit: shadow stacks (CET). A switch by jump leaves the shadow stack where it was, so the next return would fault. A
 * program with contexts must run without (glibc's default for programs that are not marked). The code is not
 * marked for indirect branch tracking either, because its jump goes to return addresses.
 *
 * The frame, from the saved stack pointer up:
 *	 0 MXCSR	 4 x87 control word	 6 is MXCSR compared?	 8 r12	16 r13	24 r14	32 r15	40 rbx	48 rbp	56 return address
 * Its canonical frame address (CFA), where the caller's stack begins, is 64 bytes up, both in the frame being left and
 * in the one being entered, so one description holds at every instruction.
 *
 * Manual: System V ABI, AMD64 supplement 1.0, sections 3.2.1 to 3.2.3 and figure 3.4.
 */
#define OFFSET_STACK_POINTER 0
#define OFFSET_LEASE	 16
#define OFFSET_KEPT	 20
#define FRAME		 56	/* below the return address */

	.macro	function name
	.globl	\name
	.type	\name, @function
	.balign	32
\name:
	.cfi_startproc
	.endm
	.macro	endfunction name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.macro	save_general
	leaq	-FRAME(%rsp), %rsp
	.cfi_adjust_cfa_offset FRAME
	movq	%r12, 8(%rsp)
	.cfi_offset %r12, -56
	movq	%r13, 16(%rsp)
	.cfi_offset %r13, -48
	movq	%r14, 24(%rsp)
	.cfi_offset %r14, -40
	movq	%r15, 32(%rsp)
	.cfi_offset %r15, -32
	movq	%rbx, 40(%rsp)
	.cfi_offset %rbx, -24
	movq	%rbp, 48(%rsp)
	.cfi_offset %rbp, -16
	.endm

	/* Puts rcx, the new stack pointer, in place and goes back to where that context called from. */
	.macro	restore_general_and_return
	movq	%rcx, %rsp
	movq	8(%rsp), %r12
	movq	16(%rsp), %r13
	movq	24(%rsp), %r14
	movq	32(%rsp), %r15
	movq	40(%rsp), %rbx
	movq	48(%rsp), %rbp
	.cfi_remember_state
	.cfi_restore %r12
	.cfi_restore %r13
	.cfi_restore %r14
	.cfi_restore %r15
	.cfi_restore %rbx
	.cfi_restore %rbp
	movq	56(%rsp), %rcx
	movq	%rdx, %rax
	leaq	64(%rsp), %rsp
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %rcx
	jmpq	*%rcx
	.cfi_restore_state
	.endm

	/* Takes over from the frame at rcx whether MXCSR is compared. */
	.macro	learn_comparison
	movzwl	6(%rcx), %r8d
	movw	%r8w, 6(%rsp)
	.endm

	/*
	 * Loads the x87 control word of the frame at rcx, after the exceptions that it unmasks and another context has noted are
	 * cleared: the next x87 instruction would trap for them. fclex traps first for what the old word does not mask. SSE
	 * never traps for a status bit. Changes rax, r8.
	 */
	.macro	load_x87_control
	movzwl	4(%rcx), %r8d
	notl	%r8d
	testb	$0x3f, %r8b
	jz	8f		/* nothing is unmasked, as nearly always */
	fnstsw	%ax
	andl	%r8d, %eax
	testb	$0x3f, %al
	jz	8f
	fclex
8:	fldcw	4(%rcx)
	.endm

	/* Loads the control words of the frame at rcx; the current ones are in that at rsp; r8d: is MXCSR compared? */
	.macro	restore_control
	testl	%r8d, %r8d
	jz	2f
	movl	(%rsp), %eax
	xorl	(%rcx), %eax
	testl	$0xffc0, %eax	/* without the status bits */
	jz	3f
2:	ldmxcsr	(%rcx)
3:	movzwl	4(%rsp), %eax
	cmpw	4(%rcx), %ax
	jne	4f
	.endm

	.text
	/* void *context_switch(struct context *from, struct context *to, void *message) */
	function context_switch
	save_general
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movl	$1, OFFSET_KEPT(%rdi)
	movq	%rsp, OFFSET_STACK_POINTER(%rdi)
	movq	OFFSET_STACK_POINTER(%rsi), %rcx
	learn_comparison
	cmpl	$0, OFFSET_KEPT(%rsi)
	je	0f
	restore_control
0:	restore_general_and_return
4:	load_x87_control
	jmp	0b
	endfunction context_switch

	/* The same, with control words only for one that holds a lease. */
	function context_switch_used
	save_general
	movl	OFFSET_LEASE(%rdi), %eax
	movl	%eax, OFFSET_KEPT(%rdi)
	movq	%rsp, OFFSET_STACK_POINTER(%rdi)
	movq	OFFSET_STACK_POINTER(%rsi), %rcx
	learn_comparison
	movl	OFFSET_KEPT(%rsi), %r9d
	orl	%eax, %r9d
	jz	0f
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	leal	1(%rax), %r9d
	cmpl	$1, %r9d	/* no lease, or one for ever */
	jbe	1f
	decl	OFFSET_LEASE(%rdi)
1:	cmpl	$0, OFFSET_KEPT(%rsi)
	je	0f
	restore_control
0:	restore_general_and_return
4:	load_x87_control
	jmp	0b
	endfunction context_switch_used

	/* void context_resume_at(struct context *to, void *message): what finish ends with; saves nothing. */
	function context_resume_at
	movq	OFFSET_STACK_POINTER(%rdi), %rcx
	movq	%rsi, %rdx
	cmpl	$0, OFFSET_KEPT(%rdi)
	je	0f
	ldmxcsr	(%rcx)
	load_x87_control
0:	.cfi_def_cfa %rcx, 64
	.cfi_offset %r12, -56
	.cfi_offset %r13, -48
	.cfi_offset %r14, -40
	.cfi_offset %r15, -32
	.cfi_offset %rbx, -24
	.cfi_offset %rbp, -16
	movq	%rcx, %rsp
	.cfi_def_cfa %rsp, 64
	restore_general_and_return
	endfunction context_resume_at

	/* Where the inline policy enters a new context: the frame of context_create lies at rsp, the message is in rdx. */
	function context_start_inline
	.cfi_undefined %rip
	movq	%rsp, %rcx
	ldmxcsr	(%rcx)
	load_x87_control
	restore_general_and_return
	endfunction context_start_inline

	/* void context_store_control(void *frame): the creator's control words, for the frame of a new context. */
	function context_store_control
	stmxcsr	(%rdi)
	fnstcw	4(%rdi)
	ret
	endfunction context_store_control

	/*
	 * The bottom of every context's stack: calls the entry with the context and the first message. A new frame brings
	 * the context in rbx. For unwinders it looks as if the resumer had called: the frame address is that of the frame
	 * which the resumer left, so its registers are found there. Signal frame, because debuggers expect stacks to
	 * grow in one direction otherwise. A resumer of none is context_bottom, whose frame returns to 0: the end.
	 */
	.globl	context_start
	.type	context_start, @function
	.balign	32
	.cfi_startproc
	.cfi_signal_frame
	/* CFA = ((struct context *)rbx)->resumer->stack_pointer + 64: breg3 8, deref, deref, plus_uconst 64 */
	.cfi_escape 0x0f, 6, 0x73, 8, 0x06, 0x06, 0x23, 64
	.cfi_offset %rip, -8
	.cfi_offset %r12, -56
	.cfi_offset %r13, -48
	.cfi_offset %r14, -40
	.cfi_offset %r15, -32
	.cfi_offset %rbx, -24
	.cfi_offset %rbp, -16
	nop				/* unwinders look up the address before a return address */
context_start:
	movq	%rbx, %rdi
	movq	%rax, %rsi
	call	*%r12
	movq	%rbx, %rdi
	call	context_returned
	ud2
	.cfi_endproc
	.size	context_start, . - context_start

	.section .note.GNU-stack, "", @progbits
