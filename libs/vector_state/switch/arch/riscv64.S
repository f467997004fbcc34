/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RISC-V, 64 bits, the psABI's LP64D, LP64F and LP64 (where a build without F has no floating-point registers to keep).
 *
 * Registers. A call preserves sp and s0 to s11, and fs0 to fs11, which with D have 64 bits and with F alone 32. ra is kept
 * as the place to go on. gp and tp belong to the program and the thread and never change. Of the vector extension nothing
 * is preserved: v0 to v31, vl and vtype are the caller's (the psABI's variant for vector calls preserves v1 to v7 and v24
 * to v31, and context_switch is no such function); vxrm and vxsat are the caller's, too.
 *
 * fcsr. The psABI gives it thread storage duration, following C: fesetround acts on a thread. A coroutine that changes
 * the rounding mode and then switches away would change it for all others, so the mode, frm, is kept with each context, as
 * on the other architectures; the flags, fflags, stay with the thread. frm is written only if it differs, because writes
 * of control registers drain the pipeline of many cores. Zfinx, whose floats are in general registers, has fcsr, too; its
 * accesses are csrr and csrw here, because clang 19 refuses frrm and fsrm without F.
 *
 * Shadow stacks (Zicfiss) have a limit as on x86-64: a switch leaves ssp where it was, so programs with contexts must run
 * without.
 *
 * The frame, from the saved sp up; the CFA is 208 bytes up; sp is a multiple of 16 always:
 *	0 ra	8 s0 to s11	104 fs0 to fs11		200 frm
 *
 * Manual: RISC-V ELF psABI 1.0, chapter 1 (register convention) and 2.1 to 2.3.
 */
#define OFFSET_STACK_POINTER 0
#define OFFSET_RESUMER	 8
#define OFFSET_LEASE	 16
#define OFFSET_KEPT	 20
#define FRAME		 208
#define FRAME_S0	 8
#define FRAME_FS0	 104
#define FRAME_FRM	 200

#ifdef __riscv_flen
#define HAS_FCSR
#if __riscv_flen >= 64
#define STORE_FLOAT	 fsd
#define LOAD_FLOAT	 fld
#else
#define STORE_FLOAT	 fsw
#define LOAD_FLOAT	 flw
#endif
#elif defined(__riscv_zfinx)
#define HAS_FCSR
#endif

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

	.macro	each_general operation
	.set	offset, FRAME_S0
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\operation s\number, offset(sp)
	.set	offset, offset + 8
	.endr
	.endm

	.macro	each_float operation
#ifdef __riscv_flen
	.set	offset, FRAME_FS0
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\operation fs\number, offset(sp)
	.set	offset, offset + 8
	.endr
#endif
	.endm

	/* DWARF numbers: ra 1, s0 8, s1 9, s2 to s11 18 to 27; floats 32 more. */
	.macro	describe_general
	.cfi_offset 1, 0 - FRAME
	.set	offset, FRAME_S0 - FRAME
	.irp	number, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
	.cfi_offset \number, offset
	.set	offset, offset + 8
	.endr
	.endm
	.macro	describe_floating
#ifdef __riscv_flen
	.set	offset, FRAME_FS0 - FRAME
	.irp	number, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
	.cfi_offset \number + 32, offset
	.set	offset, offset + 8
	.endr
#endif
	.endm

	.macro	save_general
	addi	sp, sp, -FRAME
	.cfi_def_cfa_offset FRAME
	sd	ra, 0(sp)
	each_general sd
	describe_general
	.endm
	.macro	save_floating
	each_float STORE_FLOAT
#ifdef HAS_FCSR
	csrr	t0, frm
	sd	t0, FRAME_FRM(sp)
#endif
	.endm
	.macro	return_there
	ld	ra, 0(sp)
	each_general ld
	mv	a0, a2
	addi	sp, sp, FRAME
	.cfi_def_cfa_offset 0
	.irp	number, 1, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
	.cfi_restore \number
	.endr
	ret
	.endm
	/* Loads what the frame at sp holds; t2 is its `kept`. */
	.macro	restore_kept
	beqz	t2, 3f
#ifdef HAS_FCSR
	ld	t1, FRAME_FRM(sp)
	csrw	frm, t1
#endif
	each_float LOAD_FLOAT
3:
	.endm

	.text
	/* void *context_switch(struct context *from, struct context *to, void *message) */
	function context_switch
	save_general
	save_floating
	describe_floating
	li	t1, 1
	sw	t1, OFFSET_KEPT(a0)
	sd	sp, OFFSET_STACK_POINTER(a0)
	lw	t2, OFFSET_KEPT(a1)
	ld	sp, OFFSET_STACK_POINTER(a1)
	beqz	t2, 1f
#ifdef HAS_FCSR
	ld	t1, FRAME_FRM(sp)
	beq	t0, t1, 0f
	csrw	frm, t1
0:	each_float LOAD_FLOAT
#endif
1:
#ifdef __riscv_flen
	.irp	number, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
	.cfi_restore \number + 32
	.endr
#endif
	return_there
	endfunction context_switch

	/* Floating point and the rounding mode only for one that holds a lease. */
	function context_switch_used
	save_general
	lw	t0, OFFSET_LEASE(a0)
	sw	t0, OFFSET_KEPT(a0)
	beqz	t0, 2f
	addi	t0, t0, -1
	li	t1, -2
	beq	t0, t1, 1f
	sw	t0, OFFSET_LEASE(a0)
1:	save_floating
2:	sd	sp, OFFSET_STACK_POINTER(a0)
	lw	t2, OFFSET_KEPT(a1)
	ld	sp, OFFSET_STACK_POINTER(a1)
	restore_kept
	return_there
	endfunction context_switch_used

	/* void context_resume_at(struct context *to, void *message): what finish ends with; saves nothing. */
	function context_resume_at
	mv	a2, a1
	lw	t2, OFFSET_KEPT(a0)
	ld	sp, OFFSET_STACK_POINTER(a0)
	.cfi_def_cfa_offset FRAME
	describe_general
	restore_kept
	return_there
	endfunction context_resume_at

	/* Where the inline policy enters a new context: the frame of context_create lies at sp, the message is in a2. */
	function context_start_inline
	.cfi_undefined 1
	li	t2, 1
	restore_kept
	return_there
	endfunction context_start_inline

	/* void context_store_control(void *frame): the creator's rounding mode, for the frame of a new context. */
	function context_store_control
#ifdef HAS_FCSR
	csrr	t0, frm
	sd	t0, FRAME_FRM(a0)
#endif
	ret
	endfunction context_store_control

	/*
	 * The bottom of every context's stack: calls the entry with the context and the first message. A new frame brings
	 * the context in s1 and the entry in s2. For unwinders it looks as if the resumer had called: the CFA is that of the
	 * frame which the resumer left, so its registers are found there. A signal frame, because debuggers expect stacks
	 * to grow in one direction otherwise. A resumer of none is context_bottom, whose frame returns to 0: the end.
	 */
	.globl	context_start
	.type	context_start, @function
	.balign	32
	.cfi_startproc
	.cfi_signal_frame
	/* CFA = ((struct context *)s1)->resumer->stack_pointer + 208: breg9 8, deref, deref, plus_uconst 208 */
	.cfi_escape 0x0f, 7, 0x79, OFFSET_RESUMER, 0x06, 0x06, 0x23, 0xd0, 0x01
	describe_general
	describe_floating
	nop				/* unwinders look up the address before a return address */
context_start:
	mv	a1, a0
	mv	a0, s1
	jalr	s2
	mv	a0, s1
	call	context_returned
	unimp
	.cfi_endproc
	.size	context_start, . - context_start

	.section .note.GNU-stack, "", @progbits
