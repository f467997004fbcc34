/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with the RISC-V vector extension 1.0, for any vector length.
 *
 * assay-about: vwaddu.wv, one operation for four registers
 * assay-requires: rvv
 *
 * vwaddu.wv adds 32-bit elements to 64-bit lanes: one instruction for as many bytes as four registers hold
 * (LMUL 4 in, 8 for the accumulator), whatever VLEN is. The program asks with vsetvli how many elements it
 * gets in each round, so there is one loop and no second one for the rest; "tail undisturbed" keeps the lanes
 * beyond, and with them the sums of earlier rounds. One vredsum at the end.
 *
 * Elements are loaded as bytes, since a machine may refuse elements that are not aligned to their size. The
 * last one to three bytes are summed as scalars. No lane overflows before 2^32 rounds.
 *
 * Assembly, because gcc has the intrinsics only from release 13 on, and assemblers have had the instructions
 * for longer.
 */
	.text
	.balign	4
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	/* a0 next byte, a1 bytes left, a2 sum */
	slli	a2, a2, 32
	srli	a2, a2, 32
	vsetvli	t0, zero, e64, m8, ta, ma
	vmv.v.i	v8, 0
	srli	t1, a1, 2
	beqz	t1, 2f
1:	vsetvli	t0, t1, e32, m4, ta, ma
	slli	t2, t0, 2
	vsetvli	zero, t2, e8, m4, ta, ma
	vle8.v	v16, (a0)
	vsetvli	zero, t0, e32, m4, tu, ma
	vwaddu.wv v8, v8, v16
	sub	t1, t1, t0
	add	a0, a0, t2
	bnez	t1, 1b
2:	vsetvli	t0, zero, e64, m8, ta, ma
	vmv.s.x	v16, a2
	vredsum.vs v8, v8, v16
	vmv.x.s	a2, v8

	andi	t1, a1, 2
	beqz	t1, 3f
	lbu	t2, 0(a0)
	lbu	t3, 1(a0)
	addi	a0, a0, 2
	slli	t3, t3, 8
	add	a2, a2, t2
	add	a2, a2, t3
3:	andi	t1, a1, 1
	beqz	t1, 4f
	lbu	t2, 0(a0)
	add	a2, a2, t2
	/* Folded end around: the sum of the halves, carry included, arrives in the upper one. */
4:	slli	t0, a2, 32
	srli	t1, a2, 32
	or	t0, t0, t1
	add	a2, a2, t0
	srai	a0, a2, 32
	ret
	.size	csum_partial, . - csum_partial

	.section .note.GNU-stack, "", @progbits
