/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * AArch64, AAPCS64 (Linux and the BSDs, either byte order of data).
 *
 * Registers. A call preserves x19 to x28, the frame pointer x29, sp, and of v8 to v15 the lower 64 bits, which are d8 to
 * d15. The upper halves are the caller's to save, and so is all of SVE for ordinary functions; a function that takes or
 * returns SVE values follows a variant of the ABI that preserves z8 to z23 and p4 to p15, and context_switch is not one,
 * so its callers keep those themselves. x30 is the link register; a switch keeps it because it is where to go on.
 *
 * x18 is the platform register. On Linux it is an ordinary temporary; with the shadow call stack (SCS) of clang, and on
 * Android, it points into a second stack of return addresses. That stack would have to be one a context, and a switch
 * would have to change x18: programs that are built with -fsanitize=shadow-call-stack are not served. x18 is neither read
 * nor written here. TPIDR_EL0 is the thread's.
 *
 * SME. A call is made with ZA off, or dormant: TPIDR2_EL0 then says where whoever needs ZA next has to save it. Both are the
 * thread's here, so a context that goes on while another's ZA is dormant takes that for its own. A program that uses ZA
 * calls __arm_za_disable, which saves it and turns it off, before each switch.
 *
 * FPCR. Rounding mode, flush-to-zero, default-NaN, alternative half precision and trap enables must not be changed by a
 * function that is not documented to do so, so they are per context here. A write of FPCR waits for the pipeline, so it
 * is written only if the contexts differ. FPSR has cumulative status alone and stays with the thread.
 *
 * Pointer authentication. A function that signs its return address does so with its own sp as modifier and
 * checks it with the same sp, on the same stack: a switch in between changes nothing. The return addresses in the frames
 * of this library are not signed. Branch target identification: the functions begin with `bti c`, and the way back is
 * `ret`, which needs no landing pad. With GCS, the guarded control stack, the same limit holds as for SCS.
 *
 * The frame, from the saved sp up; the CFA is 176 bytes up; sp is a multiple of 16 always, or memory accesses fault:
 *	0 x29	8 x30	16 x19 to x28	96 d8 to d15	160 FPCR	168 -
 * x29 and x30 come first, as in a frame record, so that walkers of the frame pointer chain find their way.
 *
 * Manual: Procedure Call Standard for the Arm 64-bit Architecture 2023Q3, sections 6.1.1 to 6.1.3 and 6.4.6; of SME
 * "The ZA lazy saving scheme".
 */
#define OFFSET_STACK_POINTER 0
#define OFFSET_RESUMER	 8
#define OFFSET_LEASE	 16
#define OFFSET_KEPT	 20
#define FRAME		 176
#define FRAME_D8	 96
#define FRAME_FPCR	 160

	.macro	function name
	.globl	\name
	.type	\name, %function
	.balign	32
\name:
	.cfi_startproc
	hint	#34			/* bti c */
	.endm
	.macro	endfunction name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.macro	describe_general
	.cfi_offset x29, 0 - FRAME
	.cfi_offset x30, 8 - FRAME
	.cfi_offset x19, 16 - FRAME
	.cfi_offset x20, 24 - FRAME
	.cfi_offset x21, 32 - FRAME
	.cfi_offset x22, 40 - FRAME
	.cfi_offset x23, 48 - FRAME
	.cfi_offset x24, 56 - FRAME
	.cfi_offset x25, 64 - FRAME
	.cfi_offset x26, 72 - FRAME
	.cfi_offset x27, 80 - FRAME
	.cfi_offset x28, 88 - FRAME
	.endm
	.macro	describe_floating
	.cfi_offset d8, 96 - FRAME
	.cfi_offset d9, 104 - FRAME
	.cfi_offset d10, 112 - FRAME
	.cfi_offset d11, 120 - FRAME
	.cfi_offset d12, 128 - FRAME
	.cfi_offset d13, 136 - FRAME
	.cfi_offset d14, 144 - FRAME
	.cfi_offset d15, 152 - FRAME
	.endm

	.macro	general operation
	\operation x19, x20, [sp, #16]
	\operation x21, x22, [sp, #32]
	\operation x23, x24, [sp, #48]
	\operation x25, x26, [sp, #64]
	\operation x27, x28, [sp, #80]
	.endm
	.macro	floating operation
	\operation d8, d9, [sp, #FRAME_D8]
	\operation d10, d11, [sp, #FRAME_D8 + 16]
	\operation d12, d13, [sp, #FRAME_D8 + 32]
	\operation d14, d15, [sp, #FRAME_D8 + 48]
	.endm

	.macro	save_general
	stp	x29, x30, [sp, #-FRAME]!
	.cfi_def_cfa_offset FRAME
	general	stp
	describe_general
	.endm
	.macro	return_there
	general	ldp
	mov	x0, x2
	ldp	x29, x30, [sp], #FRAME
	.cfi_def_cfa_offset 0
	.irp	number, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
	.cfi_restore x\number
	.endr
	ret
	.endm

	.text
	/* void *context_switch(struct context *from, struct context *to, void *message) */
	function context_switch
	save_general
	floating stp
	describe_floating
	mrs	x9, fpcr
	str	x9, [sp, #FRAME_FPCR]
	mov	w10, #1
	str	w10, [x0, #OFFSET_KEPT]
	mov	x10, sp
	str	x10, [x0, #OFFSET_STACK_POINTER]
	ldr	x11, [x1, #OFFSET_STACK_POINTER]
	ldr	w12, [x1, #OFFSET_KEPT]
	mov	sp, x11
	cbz	w12, 1f
	ldr	x10, [sp, #FRAME_FPCR]
	cmp	x9, x10
	b.eq	0f
	msr	fpcr, x10
0:	floating ldp
1:	.irp	number, 8, 9, 10, 11, 12, 13, 14, 15
	.cfi_restore d\number
	.endr
	return_there
	endfunction context_switch

	/* Loads what the frame at sp holds; w12 is its `kept`. */
	.macro	restore_kept
	cbz	w12, 3f
	ldr	x10, [sp, #FRAME_FPCR]
	msr	fpcr, x10
	floating ldp
3:
	.endm

	/* Floating point and FPCR only for one that holds a lease. */
	function context_switch_used
	save_general
	ldr	w9, [x0, #OFFSET_LEASE]
	str	w9, [x0, #OFFSET_KEPT]
	cbz	w9, 2f
	cmn	w9, #1
	b.eq	1f
	sub	w9, w9, #1
	str	w9, [x0, #OFFSET_LEASE]
1:	floating stp
	mrs	x9, fpcr
	str	x9, [sp, #FRAME_FPCR]
2:	mov	x10, sp
	str	x10, [x0, #OFFSET_STACK_POINTER]
	ldr	x11, [x1, #OFFSET_STACK_POINTER]
	ldr	w12, [x1, #OFFSET_KEPT]
	mov	sp, x11
	restore_kept
	return_there
	endfunction context_switch_used

	/* void context_resume_at(struct context *to, void *message): what finish ends with; saves nothing. */
	function context_resume_at
	mov	x2, x1
	ldr	x11, [x0, #OFFSET_STACK_POINTER]
	ldr	w12, [x0, #OFFSET_KEPT]
	mov	sp, x11
	.cfi_def_cfa_offset FRAME
	describe_general
	restore_kept
	return_there
	endfunction context_resume_at

	/* Where the inline policy enters a new context: the frame of context_create lies at sp, the message is in x2. */
	function context_start_inline
	.cfi_undefined x30
	mov	w12, #1
	restore_kept
	return_there
	endfunction context_start_inline

	/* void context_store_control(void *frame): the creator's control word, for the frame of a new context. */
	function context_store_control
	mrs	x9, fpcr
	str	x9, [x0, #FRAME_FPCR]
	ret
	endfunction context_store_control

	/*
	 * The bottom of every context's stack: calls the entry with the context and the first message. A new frame brings
	 * the context in x19 and the entry in x20. For unwinders it looks as if the resumer had called: the CFA is that of
	 * the frame which the resumer left, so its registers are found there. A signal frame, because debuggers expect
	 * stacks to grow in one direction otherwise. A resumer of none is context_bottom, whose frame returns to 0: the end.
	 */
	.globl	context_start
	.type	context_start, %function
	.balign	32
	.cfi_startproc
	.cfi_signal_frame
	/* CFA = ((struct context *)x19)->resumer->stack_pointer + 176: breg19 8, deref, deref, plus_uconst 176 */
	.cfi_escape 0x0f, 7, 0x83, OFFSET_RESUMER, 0x06, 0x06, 0x23, 0xb0, 0x01
	describe_general
	describe_floating
	nop				/* unwinders look up the address before a return address */
context_start:
	mov	x1, x0
	mov	x0, x19
	blr	x20
	mov	x0, x19
	bl	context_returned
	brk	#1
	.cfi_endproc
	.size	context_start, . - context_start

	.section .note.GNU-stack, "", %progbits
	/* This object may run with branch target identification. */
	.section .note.gnu.property, "a", %note
	.balign	8
	.word	4, 16, 5
	.asciz	"GNU"
	.word	0xc0000000, 4, 1, 0
