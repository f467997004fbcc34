/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 64-bit POWER, ELFv2 ABI, both byte orders.
 *
 * Registers. A call preserves r1 (stack), r14 to r31, f14 to f31, v20 to v31 and the condition register fields CR2, CR3
 * and CR4. In VSX's numbering, f14 to f31 are the upper halves of vs14 to vs31, whose lower halves are free, and v20 to
 * v31 are vs52 to vs63, whole. So a switch has 18 general registers, 18 doubles and 12 vectors to keep: 480 bytes. The
 * vectors and doubles are what switches forget: code without floating point does not notice, until a compiler puts a
 * loop's constant into f31 or v31. r13 is the thread pointer and the same in all contexts of a thread.
 *
 * Condition register. A compiler keeps the result of a comparison over a call in CR2 to CR4. mfcr reads all eight fields;
 * mtocrf writes one, which is one operation on POWER, where mtcrf of three is microcode.
 *
 * TOC. r2 points into the module's table of contents. A caller in another module comes through a stub that saves r2 at
 * 24(r1) and the caller restores it from there; one in this module relies on r2 being unchanged. Code compiled with POWER10's
 * PC-relative addressing uses r2 as a temporary. A switch may lead from either kind of code to the other, so r2 is state and
 * is kept, in the TOC word of the switch's own frame. The functions here have one entry point and use no r2
 * themselves. A context's entry is called through a pointer: its address in r12, from which it makes its own r2.
 *
 * Frame. r1 is a multiple of 16 and points to the back chain, the address of the caller's frame. The caller lends the
 * 32 bytes there: we save CR at 8 and LR at 16 in them, as any function may, which is where unwinders look. 288
 * bytes below r1 are the red zone, which signal handlers leave alone (512 in the kernel's view).
 *
 * Control. FPSCR's last eight bits are exception enables, the non-IEEE mode and the rounding mode, and three bits of its
 * upper word are the decimal rounding mode. VSCR's NJ bit makes denormal numbers zero. The ABI lets only functions that are
 * documented to do so change them ("limited access"), so they are per context here. mtfsf and mtvscr wait until all
 * earlier operations of their kind are done, so both are written only if the two contexts differ. The rest of
 * FPSCR and VSCR.SAT are sticky status and stay with the thread, except where the new enables would make a trap of any of
 * FPSCR's: then all of those are cleared.
 *
 * VRSAVE. ELFv2 gives it no part in calls. Linux uses it as a mark: 0 until the thread's first vector instruction
 * traps, then all ones; glibc's swapcontext skips v20 to v31 while it is 0, and so does the vrsave policy here. Nothing
 * restores it: a context that was left while the mark was 0 must not clear it when it goes on, because by then the
 * facility is on, no trap will set the mark again, and the next switch would lose its vectors. QEMU's user mode leaves
 * VRSAVE at 0 for ever; a program that wants the policy to be right there sets it to -1 first.
 *
 * The frame of a switch, from r1 up; the CFA is 544 bytes up:
 *	  0 back chain	  8 -	 16 -	 24 r2	 32 r14 to r31	176 f14 to f31	320 v20 to v31
 *	512 VSCR, 16 bytes		528 FPSCR		536 scratch
 *	544 the caller's back chain	552 CR			560 LR
 *
 * The vectors go in groups of four with two bases, so that no store waits for the addition before it (the 2016 batch).
 *
 * Manual: 64-Bit ELF V2 ABI Specification 1.5, sections 2.2.1 (registers), 2.2.2 (frames), 2.2.3.4 (VRSAVE, VSCR).
 * Power ISA 3.1, mtfsf: the field mask selects nibbles; with W=1 those of the upper word.
 */
#define OFFSET_STACK_POINTER 0
#define OFFSET_RESUMER	 8
#define OFFSET_LEASE	 16
#define OFFSET_KEPT	 20

#define FRAME		 544
#define FRAME_TOC	 24
#define FRAME_R14	 32
#define FRAME_F14	 176
#define FRAME_V20	 320
#define FRAME_VSCR	 512
#define FRAME_FPSCR	 528
#define FRAME_SCRATCH	 536
#define FRAME_CR	 (FRAME + 8)
#define FRAME_LR	 (FRAME + 16)

#ifdef __LITTLE_ENDIAN__
#define VSCR_WORD	 (FRAME_VSCR + 0)	/* VSCR is the vector's last word, which stvx stores first */
#define FPSCR_WORD	 FRAME_FPSCR
#define SCRATCH_WORD	 FRAME_SCRATCH
#else
#define FPSCR_WORD	 (FRAME_FPSCR + 4)
#define SCRATCH_WORD	 (FRAME_SCRATCH + 4)
#define VSCR_WORD	 (FRAME_VSCR + 12)
#endif
#define FPSCR_ENABLES	 0xf8			/* VE OE UE ZE XE */
#define VRSAVE_PRESERVED 0xfff			/* bits of v20 to v31 */

/* What `kept` says of a frame. mtocrf 0x40 brings the second nibble from the left into CR1: its bits are 4 and 5. */
#define KEPT_FLOATING	 0x08000000
#define KEPT_VECTORS	 0x04000000
#define KEPT_FLOATING_BIT 4
#define KEPT_VECTORS_BIT 5

/* DWARF's numbers for registers that the assembler does not know by name in .cfi directives */
#define DWARF_F14	 46
#define DWARF_V20	 97
#define DWARF_LR	 65
#define DWARF_CR2	 70

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
	.set	offset, FRAME_R14
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\operation %r\number, offset(%r1)
	.set	offset, offset + 8
	.endr
	.endm

	.macro	each_float operation
	.set	offset, FRAME_F14
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\operation %f\number, offset(%r1)
	.set	offset, offset + 8
	.endr
	.endm

	/* Changes r7 to r12. */
	.macro	each_vector operation
	addi	%r7, %r1, FRAME_V20
	addi	%r8, %r1, FRAME_V20 + 64
	li	%r9, 0
	li	%r10, 16
	li	%r11, 32
	li	%r12, 48
	\operation %v20, %r7, %r9
	\operation %v21, %r7, %r10
	\operation %v22, %r7, %r11
	\operation %v23, %r7, %r12
	addi	%r7, %r7, 128
	\operation %v24, %r8, %r9
	\operation %v25, %r8, %r10
	\operation %v26, %r8, %r11
	\operation %v27, %r8, %r12
	\operation %v28, %r7, %r9
	\operation %v29, %r7, %r10
	\operation %v30, %r7, %r11
	\operation %v31, %r7, %r12
	.endm

	/* Where a frame's registers are, counted from its CFA. */
	.macro	describe_frame
	.cfi_offset DWARF_LR, 16
	.cfi_offset DWARF_CR2, 8
	.set	offset, FRAME_R14 - FRAME
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	.cfi_offset \number, offset
	.set	offset, offset + 8
	.endr
	.endm
	.macro	describe_floating
	.set	offset, FRAME_F14 - FRAME
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
	.cfi_offset DWARF_F14 + \number, offset
	.set	offset, offset + 8
	.endr
	.endm
	.macro	describe_vectors
	.set	offset, FRAME_V20 - FRAME
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	.cfi_offset DWARF_V20 + \number, offset
	.set	offset, offset + 16
	.endr
	.endm

	/* That they are back: a signal may overwrite the frame that is given up. */
	.macro	describe_no_floating
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
	.cfi_restore DWARF_F14 + \number
	.endr
	.endm
	.macro	describe_no_vectors
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	.cfi_restore DWARF_V20 + \number
	.endr
	.endm

	/* LR, CR, the frame, r2 and the general registers. Changes r0 and r6. */
	.macro	save_general
	mflr	%r0
	mfcr	%r6
	std	%r0, 16(%r1)
	stw	%r6, 8(%r1)
	.cfi_offset DWARF_LR, 16
	.cfi_offset DWARF_CR2, 8
	stdu	%r1, -FRAME(%r1)
	.cfi_def_cfa_offset FRAME
	std	%r2, FRAME_TOC(%r1)
	each_general std
	describe_frame
	.endm

	/* Changes f0. */
	.macro	save_floating
	each_float stfd
	mffs	%f0
	stfd	%f0, FRAME_FPSCR(%r1)
	.endm

	/* Changes r9, v0. */
	.macro	save_vscr
	mfvscr	%v0
	li	%r9, FRAME_VSCR
	stvx	%v0, %r1, %r9
	.endm

	/* Changes r7 to r12, v0. */
	.macro	save_vectors
	each_vector stvx
	save_vscr
	.endm

	/*
	 * Writes FPSCR's control bits from the frame at r1, after the exceptions that they enable and another context has noted
	 * are cleared: enabled, they would be a trap at once. Status bits are 22 above their enables. Changes r0, r9, f0.
	 */
	.macro	load_fpscr
	lwz	%r9, FPSCR_WORD(%r1)
	andi.	%r0, %r9, FPSCR_ENABLES	/* nearly always none */
	beq+	5f
	mffs	%f0
	stfd	%f0, FRAME_SCRATCH(%r1)
	lwz	%r0, SCRATCH_WORD(%r1)
	srwi	%r0, %r0, 22
	and	%r0, %r0, %r9
	andi.	%r0, %r0, FPSCR_ENABLES
	beq+	5f
	clrlwi	%r9, %r9, 24
	stw	%r9, FPSCR_WORD(%r1)
	lfd	%f0, FRAME_FPSCR(%r1)
	mtfsf	0xfc, %f0
5:	lfd	%f0, FRAME_FPSCR(%r1)
	mtfsf	0x03, %f0
	mtfsf	0x01, %f0, 0, 1
	.endm

	/* Writes FPSCR's control bits from the frame at r1 if they differ from those in the frame at r6. Changes r0, r9, f0. */
	.macro	restore_fpscr
	ld	%r0, FRAME_FPSCR(%r6)
	ld	%r9, FRAME_FPSCR(%r1)
	xor	%r9, %r0, %r9
	rldicl	%r0, %r9, 32, 61	/* DRN */
	rldicl	%r9, %r9, 0, 56		/* VE OE UE ZE XE NI RN */
	or.	%r0, %r0, %r9
	beq+	8f
	load_fpscr
8:
	.endm

	/* The same for VSCR's NJ. Changes r0, r9, v0. */
	.macro	restore_vscr
	lwz	%r0, VSCR_WORD(%r6)
	lwz	%r9, VSCR_WORD(%r1)
	xor	%r9, %r0, %r9
	andis.	%r9, %r9, 1
	beq+	9f
	li	%r9, FRAME_VSCR
	lvx	%v0, %r1, %r9
	mtvscr	%v0
9:
	.endm

	/* r6 gets the frame that is left, r1 the one that is entered. */
	.macro	change_stack
	mr	%r6, %r1
	std	%r1, OFFSET_STACK_POINTER(%r3)
	ld	%r1, OFFSET_STACK_POINTER(%r4)
	.endm

	.macro	restore_general
	ld	%r2, FRAME_TOC(%r1)
	each_general ld
	.endm

	.macro	return_there
	ld	%r0, FRAME_LR(%r1)
	lwz	%r6, FRAME_CR(%r1)
	mtlr	%r0
	mr	%r3, %r5
	mtocrf	0x20, %r6
	mtocrf	0x10, %r6
	mtocrf	0x08, %r6
	addi	%r1, %r1, FRAME
	.cfi_def_cfa_offset 0
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	.cfi_restore \number
	.endr
	.cfi_restore DWARF_CR2
	blr
	.endm

	/* Loads what the frame at r1 holds by the bits of KEPT_* in CR1, control words without asking. */
	.macro	restore_kept
	bf	KEPT_VECTORS_BIT, 6f
	each_vector lvx
6:	bf	KEPT_FLOATING_BIT, 7f
	load_fpscr
	li	%r9, FRAME_VSCR
	lvx	%v0, %r1, %r9
	mtvscr	%v0
	each_float lfd
7:
	.endm

	/* CR1 gets to's KEPT_*. Changes r0. */
	.macro	test_kept context
	lwz	%r0, OFFSET_KEPT(\context)
	mtocrf	0x40, %r0
	.endm

	.machine power7
	.abiversion 2
	.text

	/* void *context_switch(struct context *from, struct context *to, void *message) */
	function context_switch
	save_general
	lis	%r0, (KEPT_FLOATING | KEPT_VECTORS)@h
	stw	%r0, OFFSET_KEPT(%r3)
	save_floating
	describe_floating
	save_vectors
	describe_vectors
	test_kept %r4
	change_stack
	restore_general
	bf	KEPT_FLOATING_BIT, 2f
	restore_fpscr
	restore_vscr
	each_float lfd
	bf	KEPT_VECTORS_BIT, 2f
	each_vector lvx
2:	describe_no_floating
	describe_no_vectors
	return_there
	endfunction context_switch

	/* Without v20 to v31 where the mark says that none is in use. */
	function context_switch_vrsave
	save_general
	save_floating
	mfspr	%r0, 256
	andi.	%r0, %r0, VRSAVE_PRESERVED
	lis	%r0, KEPT_FLOATING@h
	beq	1f
	each_vector stvx
	lis	%r0, (KEPT_FLOATING | KEPT_VECTORS)@h
1:	stw	%r0, OFFSET_KEPT(%r3)
	save_vscr
	test_kept %r4
	change_stack
	restore_general
	bf	KEPT_FLOATING_BIT, 2f
	restore_fpscr
	restore_vscr
	each_float lfd
	bf	KEPT_VECTORS_BIT, 2f
	each_vector lvx
2:	return_there
	endfunction context_switch_vrsave

	/* Floating point, vectors and control words only for one that holds a lease. */
	function context_switch_used
	save_general
	lwz	%r0, OFFSET_LEASE(%r3)
	cmpwi	%r0, 0
	beq	2f
	cmpwi	%r0, -1
	beq	1f
	addic	%r9, %r0, -1		/* addi would read r0 as 0 */
	stw	%r9, OFFSET_LEASE(%r3)
1:	save_floating
	save_vectors
	lis	%r0, (KEPT_FLOATING | KEPT_VECTORS)@h
2:	stw	%r0, OFFSET_KEPT(%r3)
	test_kept %r4
	change_stack
	restore_kept
	restore_general
	return_there
	endfunction context_switch_used

	/* void context_resume_at(struct context *to, void *message): what finish ends with; saves nothing. */
	function context_resume_at
	mr	%r5, %r4
	test_kept %r3
	ld	%r1, OFFSET_STACK_POINTER(%r3)
	.cfi_def_cfa_offset FRAME
	describe_frame
	restore_kept
	restore_general
	return_there
	endfunction context_resume_at

	/* Where the inline policy enters a new context: the frame of context_create lies at r1, the message is in r5. */
	function context_start_inline
	.cfi_undefined DWARF_LR
	lis	%r0, (KEPT_FLOATING | KEPT_VECTORS)@h
	mtocrf	0x40, %r0
	restore_kept
	restore_general
	return_there
	endfunction context_start_inline

	/* void context_store_control(void *frame): the creator's control words, for the frame of a new context. */
	function context_store_control
	mffs	%f0
	stfd	%f0, FRAME_FPSCR(%r3)
	mfvscr	%v0
	li	%r9, FRAME_VSCR
	stvx	%v0, %r3, %r9
	blr
	endfunction context_store_control

	/*
	 * The bottom of every context's stack: calls the entry with the context and the first message. A new frame brings
	 * the context in r31 and the entry in r30. For unwinders it looks as if the resumer had called: the CFA is that of
	 * the frame which the resumer left, so its registers are found there. A signal frame, because debuggers expect stacks
	 * to grow in one direction otherwise. A resumer of none is context_bottom, whose frame returns to 0: the end.
	 */
	.globl	context_start
	.type	context_start, @function
	.balign	32
	.cfi_startproc
	.cfi_signal_frame
	/* CFA = ((struct context *)r31)->resumer->stack_pointer + 544: breg31 8, deref, deref, plus_uconst 544 */
	.cfi_escape 0x0f, 7, 0x8f, OFFSET_RESUMER, 0x06, 0x06, 0x23, 0xa0, 0x04
	describe_frame
	describe_floating
	describe_vectors
	nop				/* unwinders look up the address before a return address */
context_start:
	mr	%r4, %r3
	mr	%r3, %r31
	mr	%r12, %r30
	mtctr	%r12
	bctrl
	/* The entry may belong to another module, whose r2 is not ours. */
	ld	%r2, 24(%r1)
	mr	%r3, %r31
	bl	context_returned
	nop
	trap
	.cfi_endproc
	.size	context_start, . - context_start

	.section .note.GNU-stack, "", @progbits
