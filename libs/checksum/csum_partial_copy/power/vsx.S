/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass for POWER8 and later, either byte order: VSX loads and stores, VMX multiply-sum.
 *
 * assay-about: fused 128-bit copy with vmsumuhm
 * assay-requires: power8
 *
 * The sum is that of ../../csum_partial/power/vsx.S, one vmsumuhm for 16 bytes. A vector store is cracked in
 * two on POWER8 and there is one a clock, so the stores bound the loop, at 16 bytes/clock, and eight
 * accumulators cover the seven clocks of the sum. lxvd2x and stxvd2x exchange doublewords alike on a
 * little-endian machine, so the copy is right; the sum does not depend on the order.
 *
 * Overflow: a lane, over all accumulators, grows by at most 2 * 65535 a vector; 32768 vectors fit. After 256
 * KiB the lanes are folded. The sum starts from 0xffffffff, see checksum.h.
 */
#define BLOCKS_PER_FOLD 2048

	.abiversion 2
	.text

/* Sixteen bytes from offset + r3 to offset + r4 by way of v(16 + temporary), and into the accumulator. */
	.macro COPY_VECTOR accumulator, offset, temporary
	lxvd2x	48 + \temporary, \offset, %r3
	vmsumuhm \accumulator, 16 + \temporary, %v19, \accumulator
	stxvd2x	48 + \temporary, \offset, %r4
	.endm

	.macro ADVANCE bytes
	addi	%r3, %r3, \bytes
	addi	%r4, %r4, \bytes
	.endm

	.macro ADD_PAIRS distance:req, registers:vararg
	.irp	i, \registers
	vadduwm	\i, \i, \i + \distance
	.endr
	.endm

	.globl	csum_partial_copy
	.type	csum_partial_copy, @function
	.balign	32
csum_partial_copy:
	/* r3 from, r4 to, r5 bytes left; r11 the sum of what is not copied by vectors. */
	li	%r11, -1
	clrldi	%r11, %r11, 32
	cmpldi	%r5, 16
	blt	.Ltail

	vspltish %v19, 1
	.irp	i, 0, 1, 2, 3
	vspltisw \i, 0
	.endr
	li	%r6, 16
	li	%r7, 32
	li	%r8, 48
	cmpldi	%r5, 128
	blt	.Lbelow_128

.Lchunk:
	srdi	%r0, %r5, 7
	cmpldi	%r0, BLOCKS_PER_FOLD
	ble	1f
	li	%r0, BLOCKS_PER_FOLD
1:	mtctr	%r0
	sldi	%r0, %r0, 7
	subf	%r5, %r0, %r5
	li	%r9, 64
	li	%r10, 80
	li	%r12, 96
	.irp	i, 4, 5, 6, 7
	vspltisw \i, 0
	.endr

	.balign	32
.Lblock:
	COPY_VECTOR 0, 0, 0
	COPY_VECTOR 1, %r6, 1
	COPY_VECTOR 2, %r7, 2
	COPY_VECTOR 3, %r8, 0
	COPY_VECTOR 4, %r9, 1
	COPY_VECTOR 5, %r10, 2
	COPY_VECTOR 6, %r12, 0
	addi	%r3, %r3, 112
	addi	%r4, %r4, 112
	COPY_VECTOR 7, 0, 1
	addi	%r3, %r3, 16
	addi	%r4, %r4, 16
	bdnz	.Lblock

	ADD_PAIRS 4, 0, 1, 2, 3
	cmpldi	%r5, 128
	blt	.Lbelow_128
	ADD_PAIRS 2, 0, 1
	ADD_PAIRS 1, 0
	vspltisw %v1, 0
	vspltisw %v2, 0
	vspltisw %v3, 0
	vmsumuhm %v0, %v0, %v19, %v1
	b	.Lchunk

.Lbelow_128:
	andi.	%r0, %r5, 64
	beq	1f
	COPY_VECTOR 0, 0, 0
	COPY_VECTOR 1, %r6, 1
	COPY_VECTOR 2, %r7, 2
	COPY_VECTOR 3, %r8, 0
	ADVANCE	64
1:	andi.	%r0, %r5, 32
	beq	1f
	COPY_VECTOR 0, 0, 1
	COPY_VECTOR 1, %r6, 2
	ADVANCE	32
1:	andi.	%r0, %r5, 16
	beq	1f
	COPY_VECTOR 2, 0, 0
	ADVANCE	16
1:
	vspltisw %v18, 0
	ADD_PAIRS 2, 0, 1
	ADD_PAIRS 1, 0
	vmsumuhm %v0, %v0, %v19, %v18
	vsumsws	%v0, %v0, %v18
	xxswapd	32, 32
	mfvsrd	%r6, 32
	add	%r11, %r11, %r6

.Ltail:	/* The last 15 bytes. CA runs through: see ../../csum_partial/power/scalar.h. */
	addic	%r11, %r11, 0
	andi.	%r0, %r5, 8
	beq	1f
	ld	%r6, 0(%r3)
	std	%r6, 0(%r4)
	adde	%r11, %r11, %r6
	ADVANCE	8
1:	andi.	%r0, %r5, 4
	beq	1f
	lwz	%r6, 0(%r3)
	stw	%r6, 0(%r4)
	adde	%r11, %r11, %r6
	ADVANCE	4
1:	andi.	%r0, %r5, 2
	beq	1f
	lhz	%r6, 0(%r3)
	sth	%r6, 0(%r4)
	adde	%r11, %r11, %r6
	ADVANCE	2
1:	andi.	%r0, %r5, 1
	beq	1f
	lbz	%r6, 0(%r3)
	stb	%r6, 0(%r4)
#ifndef __LITTLE_ENDIAN__
	sldi	%r6, %r6, 8		/* the first byte of a word whose second is zero */
#endif
	adde	%r11, %r11, %r6
1:	addze	%r11, %r11
	rotldi	%r6, %r11, 32
	add	%r11, %r11, %r6
	srdi	%r3, %r11, 32
	blr
	.size	csum_partial_copy, . - csum_partial_copy

	.section .note.GNU-stack, "", @progbits
