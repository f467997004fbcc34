/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit PowerPC, System V ABI (Linux, the BSDs, embedded; big endian).
 *
 * Three machines in one ABI. Every PowerPC preserves r1, r14 to r31 and CR2 to CR4 over a call. One with an FPU also
 * preserves f14 to f31; cores without (MPC8xx, and code compiled with -msoft-float) have none. One with AltiVec (the
 * 74xx, the 970 in 32-bit programs) also preserves v20 to v31 and VRSAVE. What this file saves follows the compiler's flags
 * (-msoft-float, -maltivec), so it has to be built with the flags of the program. If any part of the program, for example a
 * library, uses AltiVec, this file must be built with -maltivec, too. context_cpu_suffices tells whether the CPU has the
 * registers. The e500's SPE, which widens the general registers to 64 bits, is not supported.
 *
 * r2 is the thread pointer and r13 the small data pointer: the same everywhere in a thread. There is no TOC.
 *
 * Frame. r1 is a multiple of 16 and points to the back chain. The caller lends two words: the back chain itself and, at
 * 4, the LR save word. CR has no such word, so it goes into the switch's own frame. There is no red zone on Linux: a signal
 * may overwrite all below r1, so the frame is made first, by one stwu, and filled then.
 *
 * VRSAVE. AltiVec's interface makes it preserved: each bit says that the vector register of its number is in use, and a
 * function that sets bits restores the old value. Linux uses it as a mark besides: 0 until the thread's first vector
 * instruction traps, then all ones. A saved value of 0 is not put back: it would only say that nothing is in use,
 * and if the mark was set in the meantime, clearing it makes the next switch by the vrsave policy (or by the kernel's
 * own swapcontext) lose vectors, because no further trap sets it again.
 *
 * FPSCR and VSCR: as on 64-bit POWER (power64.S), without the decimal rounding mode.
 *
 * The frame of a switch, from r1 up; the CFA is FRAME bytes up:
 *	0 back chain	4 -	8 CR	12 VRSAVE	16 r14 to r31	88 f14 to f31	232 FPSCR	240 v20 to v31
 *	432 VSCR	FRAME + 4 LR
 * Without AltiVec it ends at 240, without an FPU at 96.
 *
 * Manual: System V ABI, PowerPC processor supplement, chapter 3; AltiVec Technology Programming Interface Manual, section
 * 3.3 (VRSAVE).
 */
#define OFFSET_STACK_POINTER 0
#define OFFSET_RESUMER	 4
#define OFFSET_LEASE	 8
#define OFFSET_KEPT	 12

#define FRAME_CR	 8
#define FRAME_VRSAVE	 12
#define FRAME_R14	 16
#define FRAME_F14	 88
#define FRAME_FPSCR	 232
#define FPSCR_ENABLES	 0xf8	/* VE OE UE ZE XE */
#define FRAME_V20	 240
#define FRAME_VSCR	 432
#ifdef __ALTIVEC__
#define FRAME		 448
#define FRAME_ULEB	 0xc0, 0x03
#elif !defined(_SOFT_FLOAT)
#define FRAME		 240
#define FRAME_ULEB	 0xf0, 0x01
#else
#define FRAME		 96
#define FRAME_ULEB	 0xe0, 0x00
#endif
#define FRAME_LR	 (FRAME + 4)
#define VRSAVE_PRESERVED 0xfff			/* bits of v20 to v31 */

/* What `kept` says of a frame. mtcrf 0x40 brings the second nibble from the left into CR1: its bits are 4 and 5. */
#define KEPT_FLOATING	 0x08000000
#define KEPT_VECTORS	 0x04000000
#define KEPT_FLOATING_BIT 4
#define KEPT_VECTORS_BIT 5

/* DWARF's numbers */
#define DWARF_F14	 46
#define DWARF_V20	 1144
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
	.set	offset, offset + 4
	.endr
	.endm

	.macro	each_float operation
#ifndef _SOFT_FLOAT
	.set	offset, FRAME_F14
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\operation %f\number, offset(%r1)
	.set	offset, offset + 8
	.endr
#endif
	.endm

	/* Changes r7 to r12. */
	.macro	each_vector operation
#ifdef __ALTIVEC__
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
#endif
	.endm

	.macro	describe_frame
	.cfi_offset DWARF_LR, 4
	.cfi_offset DWARF_CR2, FRAME_CR - FRAME
	.set	offset, FRAME_R14 - FRAME
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	.cfi_offset \number, offset
	.set	offset, offset + 4
	.endr
	.endm
	.macro	describe_floating
#ifndef _SOFT_FLOAT
	.set	offset, FRAME_F14 - FRAME
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
	.cfi_offset DWARF_F14 + \number, offset
	.set	offset, offset + 8
	.endr
#endif
	.endm

	/* That they are back: a signal may overwrite the frame that is given up. */
	.macro	describe_no_floating
#ifndef _SOFT_FLOAT
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
	.cfi_restore DWARF_F14 + \number
	.endr
#endif
	.endm

	/* LR, the frame, CR and the general registers. Changes r0 and r6. */
	.macro	save_general
	mflr	%r0
	mfcr	%r6
	stw	%r0, 4(%r1)
	.cfi_offset DWARF_LR, 4
	stwu	%r1, -FRAME(%r1)
	.cfi_def_cfa_offset FRAME
	stw	%r6, FRAME_CR(%r1)
	each_general stw
	describe_frame
	.endm

	/* Changes f0. */
	.macro	save_floating
	each_float stfd
#ifndef _SOFT_FLOAT
	mffs	%f0
	stfd	%f0, FRAME_FPSCR(%r1)
#endif
	.endm

	/* Changes r0, r9, v0. */
	.macro	save_vector_control
#ifdef __ALTIVEC__
	mfspr	%r0, 256
	stw	%r0, FRAME_VRSAVE(%r1)
	mfvscr	%v0
	li	%r9, FRAME_VSCR
	stvx	%v0, %r1, %r9
#endif
	.endm

	/* As power64.S's, with the frame's own word for scratch. Changes r0, r9, f0. */
	.macro	load_fpscr
	lwz	%r9, FRAME_FPSCR + 4(%r1)
	andi.	%r0, %r9, FPSCR_ENABLES
	beq+	5f
	mffs	%f0
	stfd	%f0, FRAME_FPSCR(%r1)
	lwz	%r0, FRAME_FPSCR + 4(%r1)
	srwi	%r0, %r0, 22
	and	%r0, %r0, %r9
	andi.	%r0, %r0, FPSCR_ENABLES
	clrlwi	%r9, %r9, 24
	stw	%r9, FRAME_FPSCR + 4(%r1)
	beq+	5f
	lfd	%f0, FRAME_FPSCR(%r1)
	mtfsf	0xfc, %f0
5:	lfd	%f0, FRAME_FPSCR(%r1)
	mtfsf	0x03, %f0
	.endm

	/* Writes FPSCR's control bits from the frame at r1 if they differ from those in the frame at r6, VSCR and VRSAVE
	 * likewise. Changes r0, r9, f0, v0. */
	.macro	restore_control_if_different
#ifndef _SOFT_FLOAT
	lwz	%r0, FRAME_FPSCR + 4(%r6)
	lwz	%r9, FRAME_FPSCR + 4(%r1)
	xor	%r9, %r0, %r9
	andi.	%r9, %r9, 0xff
	beq+	8f
	load_fpscr
8:
#endif
#ifdef __ALTIVEC__
	lwz	%r0, FRAME_VSCR + 12(%r6)
	lwz	%r9, FRAME_VSCR + 12(%r1)
	xor	%r9, %r0, %r9
	andis.	%r9, %r9, 1
	beq+	9f
	li	%r9, FRAME_VSCR
	lvx	%v0, %r1, %r9
	mtvscr	%v0
9:	restore_vrsave
#endif
	.endm

	.macro	restore_vrsave
	lwz	%r0, FRAME_VRSAVE(%r1)
	cmpwi	%r0, 0
	beq-	5f
	mtspr	256, %r0
5:
	.endm

	/* Loads what the frame at r1 holds by the bits of KEPT_* in CR1, control words without asking. */
	.macro	restore_kept
	bf	KEPT_VECTORS_BIT, 6f
	each_vector lvx
6:	bf	KEPT_FLOATING_BIT, 7f
#ifndef _SOFT_FLOAT
	load_fpscr
#endif
#ifdef __ALTIVEC__
	li	%r9, FRAME_VSCR
	lvx	%v0, %r1, %r9
	mtvscr	%v0
	restore_vrsave
#endif
	each_float lfd
7:
	.endm

	/* CR1 gets to's KEPT_*. Changes r0. */
	.macro	test_kept context
	lwz	%r0, OFFSET_KEPT(\context)
	mtcrf	0x40, %r0
	.endm

	/* r6 gets the frame that is left, r1 the one that is entered. */
	.macro	change_stack
	mr	%r6, %r1
	stw	%r1, OFFSET_STACK_POINTER(%r3)
	lwz	%r1, OFFSET_STACK_POINTER(%r4)
	.endm

	.macro	return_there
	each_general lwz
	lwz	%r0, FRAME_LR(%r1)
	lwz	%r6, FRAME_CR(%r1)
	mtlr	%r0
	mr	%r3, %r5
	mtcrf	0x38, %r6
	addi	%r1, %r1, FRAME
	.cfi_def_cfa_offset 0
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	.cfi_restore \number
	.endr
	.cfi_restore DWARF_CR2
	blr
	.endm

	.text

	/* void *context_switch(struct context *from, struct context *to, void *message) */
	function context_switch
	save_general
	lis	%r0, (KEPT_FLOATING | KEPT_VECTORS)@h
	stw	%r0, OFFSET_KEPT(%r3)
	save_floating
	describe_floating
	each_vector stvx
	save_vector_control
	test_kept %r4
	change_stack
	bf	KEPT_FLOATING_BIT, 2f
	restore_control_if_different
	each_float lfd
	bf	KEPT_VECTORS_BIT, 2f
	each_vector lvx
2:	describe_no_floating
	return_there
	endfunction context_switch

	/* Without v20 to v31 where VRSAVE says that none is in use. */
	function context_switch_vrsave
	save_general
	save_floating
	lis	%r12, KEPT_FLOATING@h
#ifdef __ALTIVEC__
	mfspr	%r0, 256
	andi.	%r0, %r0, VRSAVE_PRESERVED
	beq	1f
	each_vector stvx
	lis	%r12, (KEPT_FLOATING | KEPT_VECTORS)@h
1:
#endif
	stw	%r12, OFFSET_KEPT(%r3)
	save_vector_control
	test_kept %r4
	change_stack
	bf	KEPT_FLOATING_BIT, 2f
	restore_control_if_different
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
	each_vector stvx
	save_vector_control
	lis	%r0, (KEPT_FLOATING | KEPT_VECTORS)@h
2:	stw	%r0, OFFSET_KEPT(%r3)
	test_kept %r4
	change_stack
	restore_kept
	return_there
	endfunction context_switch_used

	/* void context_resume_at(struct context *to, void *message): what finish ends with; saves nothing. */
	function context_resume_at
	mr	%r5, %r4
	test_kept %r3
	lwz	%r1, OFFSET_STACK_POINTER(%r3)
	.cfi_def_cfa_offset FRAME
	describe_frame
	restore_kept
	return_there
	endfunction context_resume_at

	/* Where the inline policy enters a new context: the frame of context_create lies at r1, the message is in r5. */
	function context_start_inline
	.cfi_undefined DWARF_LR
	lis	%r0, (KEPT_FLOATING | KEPT_VECTORS)@h
	mtcrf	0x40, %r0
	restore_kept
	return_there
	endfunction context_start_inline

	/* void context_store_control(void *frame): the creator's control words, for the frame of a new context. */
	function context_store_control
#ifndef _SOFT_FLOAT
	mffs	%f0
	stfd	%f0, FRAME_FPSCR(%r3)
#endif
#ifdef __ALTIVEC__
	mfspr	%r0, 256
	stw	%r0, FRAME_VRSAVE(%r3)
	mfvscr	%v0
	li	%r9, FRAME_VSCR
	stvx	%v0, %r3, %r9
#endif
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
	/* CFA = ((struct context *)r31)->resumer->stack_pointer + FRAME: breg31 4, deref, deref, plus_uconst FRAME */
	.cfi_escape 0x0f, 7, 0x8f, OFFSET_RESUMER, 0x06, 0x06, 0x23, FRAME_ULEB
	describe_frame
	describe_floating
	nop				/* unwinders look up the address before a return address */
context_start:
	mr	%r4, %r3
	mr	%r3, %r31
	mtctr	%r30
	bctrl
	mr	%r3, %r31
	bl	context_returned
	trap
	.cfi_endproc
	.size	context_start, . - context_start

	.section .note.GNU-stack, "", @progbits
