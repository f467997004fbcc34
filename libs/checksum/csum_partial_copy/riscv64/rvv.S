/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass with the RISC-V vector extension 1.0, for any vector length.
 *
 * assay-about: fused copy of four registers with vwaddu.wv
 * assay-requires: rvv
 *
 * As ../../csum_partial/riscv64/rvv.S, with a vse8 of what was loaded. The sum starts from 0xffffffff, see
 * checksum.h.
 */
	.text
	.balign	4
	.globl	csum_partial_copy
	.type	csum_partial_copy, @function
csum_partial_copy:
	/* a0 from, a1 to, a2 bytes, a3 sum */
	li	a3, -1
	srli	a3, a3, 32
	vsetvli	t0, zero, e64, m8, ta, ma
	vmv.v.i	v8, 0
	srli	t1, a2, 2
	beqz	t1, 2f
1:	vsetvli	t0, t1, e32, m4, ta, ma
	slli	t2, t0, 2
	vsetvli	zero, t2, e8, m4, ta, ma
	vle8.v	v16, (a0)
	vse8.v	v16, (a1)
	vsetvli	zero, t0, e32, m4, tu, ma
	vwaddu.wv v8, v8, v16
	sub	t1, t1, t0
	add	a0, a0, t2
	add	a1, a1, t2
	bnez	t1, 1b
2:	vsetvli	t0, zero, e64, m8, ta, ma
	vmv.s.x	v16, a3
	vredsum.vs v8, v8, v16
	vmv.x.s	a3, v8

	andi	t1, a2, 2
	beqz	t1, 3f
	lbu	t2, 0(a0)
	lbu	t3, 1(a0)
	addi	a0, a0, 2
	sb	t2, 0(a1)
	sb	t3, 1(a1)
	addi	a1, a1, 2
	slli	t3, t3, 8
	add	a3, a3, t2
	add	a3, a3, t3
3:	andi	t1, a2, 1
	beqz	t1, 4f
	lbu	t2, 0(a0)
	sb	t2, 0(a1)
	add	a3, a3, t2
	/* Folded end around: the sum of the halves, carry included, arrives in the upper one. */
4:	slli	t0, a3, 32
	srli	t1, a3, 32
	or	t0, t0, t1
	add	a3, a3, t0
	srai	a0, a3, 32
	ret
	.size	csum_partial_copy, . - csum_partial_copy

	.section .note.GNU-stack, "", @progbits
