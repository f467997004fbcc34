/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The AArch64 procedure call standard, as far as a checked call has to know it.
 *
 * Arguments go in x0 to x7, results come in x0 and x1. Bits of a register above a narrower value are
 * undefined, so a function that takes an `int` uses w registers or extends it first: the runner fills the
 * upper half with a pattern.
 *
 * The callee preserves x19 to x28, the frame pointer x29 and the stack pointer, which is a multiple of 16
 * whenever memory is accessed through it. x30 receives the return address. x18 is the platform register:
 * Linux user space may use it, the kernel keeps its shadow call stack there, so code for both leaves it
 * alone and so it is checked. Of the vector registers, only the low 64 bits of v8 to v15 (d8 to d15) are
 * preserved: the place where hand-written NEON goes wrong most often. FPCR (rounding, flush to zero)
 * belongs to the caller. The condition flags are free.
 *
 * There is no red zone in AAPCS64, and nothing above the stack pointer belongs to the callee.
 *
 * Manual: Procedure Call Standard for the Arm 64-bit Architecture (2024Q3), sections 6.1 to 6.4.
 */
#define RECORD_FUNCTION	 0
#define RECORD_ARGUMENT(n) (8 + 8 * (n))
#define RECORD_RESULT	 72
#define RECORD_STACK	 88
#define RECORD_RETURNED	 96
#define RECORD_OWN	 104
#define RECORD_ROUNDING	 120
#define RECORD_BEFORE	 128
#define SAVED_BYTES	 (21 * 8)
#define RECORD_AFTER	 (RECORD_BEFORE + SAVED_BYTES)

#define FPCR_ROUNDING	 22

/* Loads or stores (\instruction is ldr or str) all saved registers but fpcr, from \base on. */
	.macro	each_saved instruction, base
	.set	offset, 0
	.irp	number, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
	\instruction x\number, [\base, #offset]
	.set	offset, offset + 8
	.endr
	.irp	number, 8, 9, 10, 11, 12, 13, 14, 15
	\instruction d\number, [\base, #offset]
	.set	offset, offset + 8
	.endr
	.endm

	.text
	.globl	assay_call_registers
	.type	assay_call_registers, %function
assay_call_registers:
	sub	sp, sp, #192
	mov	x10, sp
	each_saved str, x10
	str	x30, [sp, #168]
	adrp	x9, current_record
	str	x0, [x9, #:lo12:current_record]
	str	x10, [x0, #RECORD_OWN]
	mrs	x11, fpcr
	str	x11, [sp, #176]
	ldr	x11, [x0, #RECORD_ROUNDING]
	lsl	x11, x11, #FPCR_ROUNDING
	msr	fpcr, x11
	str	x11, [x0, #RECORD_BEFORE + 160]
	add	x11, x0, #RECORD_BEFORE
	each_saved ldr, x11

	ldr	x11, [x0, #RECORD_STACK]
	mov	sp, x11
	mov	x11, x0
	ldr	x12, [x11, #RECORD_FUNCTION]
	ldp	x0, x1, [x11, #RECORD_ARGUMENT(0)]
	ldp	x2, x3, [x11, #RECORD_ARGUMENT(2)]
	ldp	x4, x5, [x11, #RECORD_ARGUMENT(4)]
	ldp	x6, x7, [x11, #RECORD_ARGUMENT(6)]
	blr	x12

	adrp	x9, current_record
	ldr	x9, [x9, #:lo12:current_record]
	stp	x0, x1, [x9, #RECORD_RESULT]
	mov	x10, sp
	str	x10, [x9, #RECORD_RETURNED]
	add	x11, x9, #RECORD_AFTER
	each_saved str, x11
	mrs	x11, fpcr
	str	x11, [x9, #RECORD_AFTER + 160]
	ldr	x10, [x9, #RECORD_OWN]
	mov	sp, x10
	each_saved ldr, x10
	ldr	x11, [sp, #176]
	msr	fpcr, x11
	ldr	x30, [sp, #168]
	add	sp, sp, #192
	ret
	.size	assay_call_registers, . - assay_call_registers

	.bss
	.balign	8
current_record:
	.zero	8

	.section .note.GNU-stack, "", %progbits
