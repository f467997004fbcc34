/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * void regcheck_cross(void (*cross)(void), const struct registers *fill, struct registers *seen), RISC-V.
 *
 * struct registers: s0 to s11 at 0, frm at 96, fs0 to fs11 at 104. The frame: ra and `seen`, then the caller's registers in
 * the same layout from 16 on.
 */
#if defined(__riscv_flen) && __riscv_flen < 64
#define STORE_FLOAT fsw
#define LOAD_FLOAT  flw
#else
#define STORE_FLOAT fsd
#define LOAD_FLOAT  fld
#endif
#if defined(__riscv_flen) || defined(__riscv_zfinx)
#define HAS_FCSR
#endif

	/* All registers but frm, at the address in t0. */
	.macro	each general, float
	.set	offset, 0
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\general s\number, offset(t0)
	.set	offset, offset + 8
	.endr
#ifdef __riscv_flen
	.set	offset, 104
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\float	fs\number, offset(t0)
	.set	offset, offset + 8
	.endr
#endif
	.endm
	.macro	store_all
	each	sd, STORE_FLOAT
#ifdef HAS_FCSR
	csrr	t1, frm
	sd	t1, 96(t0)
#endif
	.endm
	.macro	load_all
#ifdef HAS_FCSR
	ld	t1, 96(t0)
	csrw	frm, t1
#endif
	each	ld, LOAD_FLOAT
	.endm

	.text
	.globl	regcheck_cross
	.type	regcheck_cross, @function
regcheck_cross:
	addi	sp, sp, -224
	sd	ra, 0(sp)
	sd	a2, 8(sp)
	addi	t0, sp, 16
	store_all
	mv	t0, a1
	load_all
	jalr	a0
	ld	t0, 8(sp)
	store_all
	addi	t0, sp, 16
	load_all
	ld	ra, 0(sp)
	addi	sp, sp, 224
	ret
	.size	regcheck_cross, . - regcheck_cross

	.section .note.GNU-stack, "", @progbits
