/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The 64-bit RISC-V calling convention (lp64d), as far as a checked call has to know it.
 *
 * Arguments go in a0 to a7, results come in a0 and a1. Values of 32 bits are sign-extended to 64, unsigned
 * ones too: that is the form in which addw, lw and the other word instructions leave them. A function that
 * returns an unsigned 32-bit value zero-extended is wrong, and its C callers will compare it wrongly; the
 * runner checks this. Narrower unsigned values are zero-extended.
 *
 * The callee preserves s0 to s11 and sp. ra receives the return address. gp and tp are not allocatable: gp
 * may point into the small data area for linker relaxation, tp to thread-local storage (in the kernel, to
 * the current task), so both are checked. With the D extension, fs0 to fs11 are preserved in 64 bits. All
 * vector registers, vl and vtype are free after a call. fcsr's rounding mode belongs to the caller, its
 * exception flags are free.
 *
 * The stack pointer is a multiple of 16. There is no red zone, and nothing above the stack pointer
 * belongs to the callee.
 *
 * Manual: RISC-V ABIs Specification 1.0, chapters 1 (registers) and 2 (procedure calls).
 */
#define RECORD_FUNCTION	 0
#define RECORD_ARGUMENT(n) (8 + 8 * (n))
#define RECORD_RESULT	 72
#define RECORD_STACK	 88
#define RECORD_RETURNED	 96
#define RECORD_OWN	 104
#define RECORD_ROUNDING	 120
#define RECORD_BEFORE	 128
#define SAVED_BYTES	 (27 * 8)
#define RECORD_AFTER	 (RECORD_BEFORE + SAVED_BYTES)

/* Loads or stores (\general is ld or sd, \float fld or fsd) all saved registers but frm, from \base on. */
	.macro	each_saved general, float, base
	.set	offset, 0
	.irp	register, gp, tp, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
	\general \register, offset(\base)
	.set	offset, offset + 8
	.endr
	.irp	register, fs0, fs1, fs2, fs3, fs4, fs5, fs6, fs7, fs8, fs9, fs10, fs11
	\float	\register, offset(\base)
	.set	offset, offset + 8
	.endr
	.endm

	.text
	.globl	assay_call_registers
	.type	assay_call_registers, @function
assay_call_registers:
	addi	sp, sp, -224
	each_saved sd, fsd, sp
	sd	ra, 216(sp)
	la	t0, current_record
	sd	a0, 0(t0)
	sd	sp, RECORD_OWN(a0)
	frrm	t1
	sd	t1, 208(sp)
	ld	t1, RECORD_ROUNDING(a0)
	fsrm	t1
	sd	t1, RECORD_BEFORE + 208(a0)
	addi	t1, a0, RECORD_BEFORE
	each_saved ld, fld, t1

	ld	sp, RECORD_STACK(a0)
	mv	t1, a0
	ld	t2, RECORD_FUNCTION(t1)
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	ld	a\number, RECORD_ARGUMENT(\number)(t1)
	.endr
	jalr	t2

	la	t0, current_record
	ld	t0, 0(t0)
	sd	a0, RECORD_RESULT(t0)
	sd	a1, RECORD_RESULT + 8(t0)
	sd	sp, RECORD_RETURNED(t0)
	addi	t1, t0, RECORD_AFTER
	each_saved sd, fsd, t1
	frrm	t1
	sd	t1, RECORD_AFTER + 208(t0)
	ld	sp, RECORD_OWN(t0)
	each_saved ld, fld, sp
	ld	t1, 208(sp)
	fsrm	t1
	ld	ra, 216(sp)
	addi	sp, sp, 224
	ret
	.size	assay_call_registers, . - assay_call_registers

	.bss
	.balign	8
current_record:
	.zero	8

	.section .note.GNU-stack, "", @progbits
