/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The 32-bit System V ABI of PowerPC, as far as a checked call has to know it.
 *
 * Arguments go in r3 to r10, results come in r3 and r4. A 64-bit value takes two registers, the high half
 * first, and begins at an odd register number (r3, r5, r7 or r9): a test that passes one counts its words
 * so. A 64-bit result is r3 (high) and r4 (low). Narrower values are extended to 32 bits by their type.
 *
 * The callee preserves r1 (stack), r14 to r31, f14 to f31, and the condition register fields CR2, CR3 and
 * CR4. r2 is the thread pointer (in the kernel, the current task) and r13 the small data area of the program;
 * no function changes them. With AltiVec v20 to v31 are preserved too, and VRSAVE, the mask of vector
 * registers in use: under an operating system that reads it, a function that uses v0 to v31 has to set their
 * bits and to restore the old value. Not every core has all of this: MPC8xx has no floating-point registers and e300 no
 * vectors, so the record says what is there. FPSCR's rounding mode and exception enables and VSCR's non-Java bit, which
 * makes denormal numbers zero, belong to the caller; these cores have no decimal rounding mode. LR, CTR, XER with its carry
 * and the other fields are free.
 *
 * The frame. r1 is a multiple of 16 and 0(r1) holds the back chain. Only the word at 4(r1) of the caller's
 * frame is lent to the callee: it saves LR there, so if it was written it must hold the return address. There is no red zone: nothing below r1 survives an
 * interrupt, so a function that needs memory makes a frame first (`stwu r1, -SIZE(r1)`).
 *
 * Manual: Power Architecture 32-bit ABI Supplement 1.0 (Linux), sections 3.2.1 to 3.2.3.
 */
#define RECORD_FUNCTION	 0
#define RECORD_ARGUMENT(n) (4 + 4 * (n))
#define RECORD_RESULT	 36
#define RECORD_STACK	 44
#define RECORD_RETURNED	 48
#define RECORD_OWN	 52
#define RECORD_FEATURES	 56
#define RECORD_ROUNDING	 60
#define RECORD_BEFORE	 64
#define SAVED_BYTES	 (12 * 16 + 18 * 8 + 22 * 4 + 8 + 16)
#define RECORD_AFTER	 (RECORD_BEFORE + SAVED_BYTES)

#define SAVED_FLOAT	 (12 * 16)
#define SAVED_GENERAL	 (12 * 16 + 18 * 8)
#define SAVED_CR	 (SAVED_GENERAL + 20 * 4)
#define SAVED_VRSAVE	 (SAVED_GENERAL + 21 * 4)
#define SAVED_FPSCR	 (SAVED_GENERAL + 22 * 4)
#define SAVED_VSCR	 (SAVED_FPSCR + 8)

#define FPSCR_CONTROL	 0xff		/* VE OE UE ZE XE NI RN */

#define CR_SAVED	 0x00fff000	/* fields 2 to 4 */
#define FRAME_SAVED	 16
#define FRAME_BYTES	 (FRAME_SAVED + SAVED_BYTES)

	.machine altivec

/*
 * Loads or stores all saved registers but CR and VRSAVE, from the address in r11 on; r10 holds the features.
 * Changes r12 and CR0.
 */
	.macro	each_saved vector, general, float
	andi.	%r12, %r10, 2
	beq	1f
	.set	offset, 0
	.irp	number, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	li	%r12, offset
	\vector	%v\number, %r11, %r12
	.set	offset, offset + 16
	.endr
1:	andi.	%r12, %r10, 1
	beq	1f
	.set	offset, SAVED_FLOAT
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\float	%f\number, offset(%r11)
	.set	offset, offset + 8
	.endr
1:	.set	offset, SAVED_GENERAL
	.irp	number, 2, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\general %r\number, offset(%r11)
	.set	offset, offset + 4
	.endr
	.endm

/*
 * Stores the masked CR, VRSAVE, VSCR and FPSCR from the address in r11 on; r10 holds the features. Changes r0, r12, CR0,
 * f0, v0, v1 and v19.
 */
	.macro	store_control
	mfcr	%r0
	lis	%r12, CR_SAVED@h
	ori	%r12, %r12, CR_SAVED@l
	and	%r0, %r0, %r12
	stw	%r0, SAVED_CR(%r11)
	andi.	%r12, %r10, 2
	beq	1f
	mfspr	%r0, 256
	stw	%r0, SAVED_VRSAVE(%r11)
	/* VSCR comes in the last word of zeros; NJ is its bit of 0x10000, and a shift by -16 is one by 16. */
	mfvscr	%v0
	vspltisw %v1, 1
	vspltisw %v19, -16
	vslw	%v1, %v1, %v19
	vand	%v0, %v0, %v1
	li	%r12, SAVED_VSCR
	stvx	%v0, %r11, %r12
1:	andi.	%r12, %r10, 1
	beq	1f
	mffs	%f0
	stfd	%f0, SAVED_FPSCR(%r11)
	li	%r0, 0
	stw	%r0, SAVED_FPSCR(%r11)
	lwz	%r0, SAVED_FPSCR + 4(%r11)
	andi.	%r0, %r0, FPSCR_CONTROL
	stw	%r0, SAVED_FPSCR + 4(%r11)
1:
	.endm

/*
 * Makes CR2-4, VRSAVE, VSCR and FPSCR what no variant can know, by the record in r3, with r11 at its `before` and the features
 * in r10: the two records have opposite patterns. Changes r0, r12, f0, v0, v19 and CR0.
 */
	.macro	poison_control
	lwz	%r0, SAVED_CR(%r11)
	mtcrf	0x38, %r0
	andi.	%r12, %r10, 2
	beq	1f
	lwz	%r0, SAVED_VRSAVE(%r11)
	mtspr	256, %r0
	vspltisw %v0, 1
	vspltisw %v19, -16
	vslw	%v0, %v0, %v19
	lwz	%r0, RECORD_ROUNDING(%r3)
	cmpwi	%r0, 1
	beq	2f
	vxor	%v0, %v0, %v0
2:	mtvscr	%v0
1:	andi.	%r12, %r10, 1
	beq	1f
	lfd	%f0, RECORD_ROUNDING - 4(%r3)	/* not a number: the last word has FPSCR's lowest bits */
	mtfsf	0x01, %f0
1:
	.endm

/*
 * Loads VRSAVE, VSCR and FPSCR as store_control has stored them, from the address in r11 on; r10 holds the features. Changes
 * r0, r12, CR0, f0 and v0.
 */
	.macro	load_control
	andi.	%r12, %r10, 2
	beq	1f
	lwz	%r0, SAVED_VRSAVE(%r11)
	mtspr	256, %r0
	li	%r12, SAVED_VSCR
	lvx	%v0, %r11, %r12
	mtvscr	%v0
1:	andi.	%r12, %r10, 1
	beq	1f
	lfd	%f0, SAVED_FPSCR(%r11)
	mtfsf	0x03, %f0
1:
	.endm

	.text
	.globl	assay_call_registers
	.type	assay_call_registers, @function
assay_call_registers:
	mflr	%r0
	stw	%r0, 4(%r1)
	stwu	%r1, -FRAME_BYTES(%r1)
	mfcr	%r0
	stw	%r0, 8(%r1)
	lwz	%r10, RECORD_FEATURES(%r3)
	addi	%r11, %r1, FRAME_SAVED
	each_saved stvx, stw, stfd
	store_control

	lis	%r11, current_record@ha
	stw	%r3, current_record@l(%r11)
	stw	%r1, RECORD_OWN(%r3)
	addi	%r11, %r3, RECORD_BEFORE
	poison_control
	store_control
	each_saved lvx, lwz, lfd

	lwz	%r1, RECORD_STACK(%r3)
	li	%r0, 0
	stw	%r0, 0(%r1)
	mr	%r11, %r3
	lwz	%r12, RECORD_FUNCTION(%r11)
	mtctr	%r12
	lwz	%r3, RECORD_ARGUMENT(0)(%r11)
	lwz	%r4, RECORD_ARGUMENT(1)(%r11)
	lwz	%r5, RECORD_ARGUMENT(2)(%r11)
	lwz	%r6, RECORD_ARGUMENT(3)(%r11)
	lwz	%r7, RECORD_ARGUMENT(4)(%r11)
	lwz	%r8, RECORD_ARGUMENT(5)(%r11)
	lwz	%r9, RECORD_ARGUMENT(6)(%r11)
	lwz	%r10, RECORD_ARGUMENT(7)(%r11)
	bctrl
	.globl	assay_call_returned
assay_call_returned:

	lis	%r9, current_record@ha
	lwz	%r9, current_record@l(%r9)
	stw	%r3, RECORD_RESULT(%r9)
	stw	%r4, RECORD_RESULT + 4(%r9)
	stw	%r1, RECORD_RETURNED(%r9)
	lwz	%r10, RECORD_FEATURES(%r9)
	addi	%r11, %r9, RECORD_AFTER
	store_control
	each_saved stvx, stw, stfd
	lwz	%r1, RECORD_OWN(%r9)
	addi	%r11, %r1, FRAME_SAVED
	each_saved lvx, lwz, lfd
	load_control
	lwz	%r0, 8(%r1)
	mtcrf	0x38, %r0
	addi	%r1, %r1, FRAME_BYTES
	lwz	%r0, 4(%r1)
	mtlr	%r0
	blr
	.size	assay_call_registers, . - assay_call_registers

	.bss
	.balign	4
current_record:
	.zero	4

	.section .note.GNU-stack, "", @progbits
