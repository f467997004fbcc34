/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The LoongArch calling convention (lp64d), as far as a checked call has to know it.
 *
 * Arguments go in a0 to a7 ($r4 to $r11), results come in a0 and a1. Values of 32 bits are sign-extended
 * to 64, unsigned ones too, because add.w, ld.w and the other word instructions leave them so. A function that
 * returns an unsigned 32-bit value zero-extended (bstrpick.d does that easily) is wrong, and its C callers
 * will compare it wrongly; the runner checks this. Narrower unsigned values are zero-extended.
 *
 * The callee preserves fp/s9 ($r22), s0 to s8 ($r23 to $r31) and sp ($r3). ra ($r1) receives the return
 * address. tp ($r2) is the thread pointer and $r21 is reserved: the kernel keeps its per-CPU base there,
 * so code that uses it as one more temporary works in a test program and kills the kernel. Both are
 * checked. Of the floating-point registers, fs0 to fs7 ($f24 to $f31) are preserved, in 64 bits only: the
 * LSX and LASX registers overlay them, and what lies above the 64th bit is lost in any call. The condition
 * flags fcc0 to fcc7 are free. In fcsr0 the enables and the rounding mode belong to the caller; fcsr1 and
 * fcsr3 are views of just these, so no masking is needed.
 *
 * The stack pointer is a multiple of 16. There is no red zone, and nothing above the stack pointer
 * belongs to the callee.
 *
 * Manual: LoongArch Procedure Call Standard 20240607, chapters "Register Convention" and "Passing Arguments".
 */
#define RECORD_FUNCTION	 0
#define RECORD_ARGUMENT(n) (8 + 8 * (n))
#define RECORD_RESULT	 72
#define RECORD_STACK	 88
#define RECORD_RETURNED	 96
#define RECORD_OWN	 104
#define RECORD_ROUNDING	 120
#define RECORD_BEFORE	 128
#define SAVED_BYTES	 (22 * 8)
#define RECORD_AFTER	 (RECORD_BEFORE + SAVED_BYTES)

#define FCSR_ROUNDING	 8

/* Loads or stores (\general is ld.d or st.d, \float fld.d or fst.d) all but the fcsr parts, from \base on. */
	.macro	each_saved general, float, base
	.set	offset, 0
	.irp	number, 2, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\general $r\number, \base, offset
	.set	offset, offset + 8
	.endr
	.irp	number, 24, 25, 26, 27, 28, 29, 30, 31
	\float	$f\number, \base, offset
	.set	offset, offset + 8
	.endr
	.endm

	.macro	store_control record, offset
	movfcsr2gr $t2, $fcsr1
	st.d	$t2, \record, \offset
	movfcsr2gr $t2, $fcsr3
	st.d	$t2, \record, \offset + 8
	.endm

	.text
	.globl	assay_call_registers
	.type	assay_call_registers, @function
assay_call_registers:
	addi.d	$sp, $sp, -192
	each_saved st.d, fst.d, $sp
	st.d	$ra, $sp, 168
	movfcsr2gr $t2, $fcsr0
	st.d	$t2, $sp, 176
	la.pcrel $t0, current_record
	st.d	$a0, $t0, 0
	st.d	$sp, $a0, RECORD_OWN
	ld.d	$t2, $a0, RECORD_ROUNDING
	slli.d	$t2, $t2, FCSR_ROUNDING
	movgr2fcsr $fcsr3, $t2
	store_control $a0, RECORD_BEFORE + 160
	addi.d	$t1, $a0, RECORD_BEFORE
	each_saved ld.d, fld.d, $t1

	ld.d	$sp, $a0, RECORD_STACK
	move	$t1, $a0
	ld.d	$t2, $t1, RECORD_FUNCTION
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	ld.d	$a\number, $t1, RECORD_ARGUMENT(\number)
	.endr
	jirl	$ra, $t2, 0

	la.pcrel $t0, current_record
	ld.d	$t0, $t0, 0
	st.d	$a0, $t0, RECORD_RESULT
	st.d	$a1, $t0, RECORD_RESULT + 8
	st.d	$sp, $t0, RECORD_RETURNED
	addi.d	$t1, $t0, RECORD_AFTER
	each_saved st.d, fst.d, $t1
	store_control $t0, RECORD_AFTER + 160
	ld.d	$sp, $t0, RECORD_OWN
	each_saved ld.d, fld.d, $sp
	ld.d	$t2, $sp, 176
	movgr2fcsr $fcsr0, $t2
	ld.d	$ra, $sp, 168
	addi.d	$sp, $sp, 192
	ret
	.size	assay_call_registers, . - assay_call_registers

	.bss
	.balign	8
current_record:
	.zero	8

	.section .note.GNU-stack, "", @progbits
