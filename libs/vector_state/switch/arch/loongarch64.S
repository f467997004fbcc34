/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch, 64 bits, the psABI's LP64D.
 *
 * Registers. A call preserves sp ($r3), fp ($r22, also called s9), s0 to s8 ($r23 to $r31) and fs0 to fs7 ($f24 to $f31).
 * ra ($r1) is kept as the place to go on. tp ($r2) is the thread's; $r21 is reserved (the kernel keeps its per-CPU area
 * there) and neither read nor written here.
 *
 * LSX and LASX. The vector registers lie over the floating-point ones: $vr24 and $xr24 begin with $f24. The psABI
 * preserves 64 bits of $f24 to $f31 and nothing above, so the upper parts are the caller's, who saves what it needs
 * before the call. A switch in user space needs no vector instruction. (In the kernel and in signal frames, which are not
 * entered by a call, losing the upper halves is the classic fault of this architecture.) fcc0 to fcc7, the
 * condition flags, are the caller's, and so are the LBT registers of binary translation.
 *
 * fcsr0. Bits 9 and 8 are the rounding mode, bits 4 to 0 the exception enables; the rest is flags and causes, which stay
 * with the thread. fcsr1 and fcsr3 are views of the enables and of the rounding mode alone, through which those can
 * be written without the flags. Written only if they differ.
 *
 * The frame, from the saved sp up; the CFA is 160 bytes up; sp is a multiple of 16 always:
 *	0 ra	8 fp	16 s0 to s8	88 fs0 to fs7	152 fcsr0
 *
 * Manual: LoongArch procedure call standard 20231219, register convention; reference manual volume 1, section 3.1.4.
 */
#define OFFSET_STACK_POINTER 0
#define OFFSET_RESUMER	 8
#define OFFSET_LEASE	 16
#define OFFSET_KEPT	 20
#define FRAME		 160
#define FRAME_FP	 8
#define FRAME_FS0	 88
#define FRAME_FCSR	 152
#define FCSR_CONTROL	 0x31f

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

	/* fp is $r22, s0 to s8 follow. */
	.macro	each_general operation
	.set	offset, FRAME_FP
	.irp	number, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\operation $r\number, $sp, offset
	.set	offset, offset + 8
	.endr
	.endm
	.macro	each_float operation
	.set	offset, FRAME_FS0
	.irp	number, 24, 25, 26, 27, 28, 29, 30, 31
	\operation $f\number, $sp, offset
	.set	offset, offset + 8
	.endr
	.endm
	.macro	describe_general
	.cfi_offset 1, 0 - FRAME
	.set	offset, FRAME_FP - FRAME
	.irp	number, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	.cfi_offset \number, offset
	.set	offset, offset + 8
	.endr
	.endm
	.macro	describe_floating
	.set	offset, FRAME_FS0 - FRAME
	.irp	number, 56, 57, 58, 59, 60, 61, 62, 63
	.cfi_offset \number, offset
	.set	offset, offset + 8
	.endr
	.endm

	.macro	save_general
	addi.d	$sp, $sp, -FRAME
	.cfi_def_cfa_offset FRAME
	st.d	$ra, $sp, 0
	each_general st.d
	describe_general
	.endm
	.macro	save_floating
	each_float fst.d
	movfcsr2gr $t0, $fcsr0
	st.d	$t0, $sp, FRAME_FCSR
	.endm
	.macro	return_there
	ld.d	$ra, $sp, 0
	each_general ld.d
	move	$a0, $a2
	addi.d	$sp, $sp, FRAME
	.cfi_def_cfa_offset 0
	.irp	number, 1, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	.cfi_restore \number
	.endr
	jr	$ra
	.endm
	/* The control bits of t1, an fcsr0, through the views that hold nothing else. */
	.macro	write_control
	movgr2fcsr $fcsr1, $t1
	movgr2fcsr $fcsr3, $t1
	.endm
	/* Loads what the frame at sp holds; t2 is its `kept`. */
	.macro	restore_kept
	beqz	$t2, 3f
	ld.d	$t1, $sp, FRAME_FCSR
	write_control
	each_float fld.d
3:
	.endm

	.text
	/* void *context_switch(struct context *from, struct context *to, void *message) */
	function context_switch
	save_general
	save_floating
	describe_floating
	ori	$t1, $zero, 1
	st.w	$t1, $a0, OFFSET_KEPT
	st.d	$sp, $a0, OFFSET_STACK_POINTER
	ld.w	$t2, $a1, OFFSET_KEPT
	ld.d	$sp, $a1, OFFSET_STACK_POINTER
	beqz	$t2, 1f
	ld.d	$t1, $sp, FRAME_FCSR
	xor	$t0, $t0, $t1
	andi	$t0, $t0, FCSR_CONTROL
	beqz	$t0, 0f
	write_control
0:	each_float fld.d
1:	.irp	number, 56, 57, 58, 59, 60, 61, 62, 63
	.cfi_restore \number
	.endr
	return_there
	endfunction context_switch

	/* Floating point and control bits only for one that holds a lease. */
	function context_switch_used
	save_general
	ld.w	$t0, $a0, OFFSET_LEASE
	st.w	$t0, $a0, OFFSET_KEPT
	beqz	$t0, 2f
	addi.w	$t0, $t0, -1
	addi.w	$t1, $zero, -2
	beq	$t0, $t1, 1f
	st.w	$t0, $a0, OFFSET_LEASE
1:	save_floating
2:	st.d	$sp, $a0, OFFSET_STACK_POINTER
	ld.w	$t2, $a1, OFFSET_KEPT
	ld.d	$sp, $a1, OFFSET_STACK_POINTER
	restore_kept
	return_there
	endfunction context_switch_used

	/* void context_resume_at(struct context *to, void *message): what finish ends with; saves nothing. */
	function context_resume_at
	move	$a2, $a1
	ld.w	$t2, $a0, OFFSET_KEPT
	ld.d	$sp, $a0, OFFSET_STACK_POINTER
	.cfi_def_cfa_offset FRAME
	describe_general
	restore_kept
	return_there
	endfunction context_resume_at

	/* Where the inline policy enters a new context: the frame of context_create lies at sp, the message is in a2. */
	function context_start_inline
	.cfi_undefined 1
	ori	$t2, $zero, 1
	restore_kept
	return_there
	endfunction context_start_inline

	/* void context_store_control(void *frame): the creator's control bits, for the frame of a new context. */
	function context_store_control
	movfcsr2gr $t0, $fcsr0
	st.d	$t0, $a0, FRAME_FCSR
	jr	$ra
	endfunction context_store_control

	/*
	 * The bottom of every context's stack: calls the entry with the context and the first message. A new frame brings
	 * the context in s0 ($r23) and the entry in s1. For unwinders it looks as if the resumer had called: the CFA is that
	 * of the frame which the resumer left, so its registers are found there. A signal frame, because debuggers expect
	 * stacks to grow in one direction otherwise. A resumer of none is context_bottom, whose frame returns to 0: the end.
	 */
	.globl	context_start
	.type	context_start, @function
	.balign	32
	.cfi_startproc
	.cfi_signal_frame
	/* CFA = ((struct context *)s0)->resumer->stack_pointer + 160: breg23 8, deref, deref, plus_uconst 160 */
	.cfi_escape 0x0f, 7, 0x87, OFFSET_RESUMER, 0x06, 0x06, 0x23, 0xa0, 0x01
	describe_general
	describe_floating
	nop				/* unwinders look up the address before a return address */
context_start:
	move	$a1, $a0
	move	$a0, $s0
	jirl	$ra, $s1, 0
	move	$a0, $s0
	bl	context_returned
	break	1
	.cfi_endproc
	.size	context_start, . - context_start

	.section .note.GNU-stack, "", @progbits
