/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for POWER10, either byte order: paired loads and vmsumuhm.
 *
 * assay-about: lxvp and vmsumuhm, the tail by lxvl
 * assay-requires: power10
 *
 * As power9.S, with loads twice as wide: lxvp fills two registers, 32 bytes, and there are two load ports and
 * four vector pipes. 32 bytes are one load and two operations: at most 64 bytes/clock. (In little-endian
 * order lxvp exchanges the two registers of a pair, which does not change a sum.)
 *
 * Latency: sixteen accumulators (v0-v15) at seven clocks each keep two and a quarter operations in flight a
 * clock, 36 bytes/clock; more would have to be saved and restored. One pair, v16 and v17, takes all loads:
 * renaming makes it as many as needed. The ones live in v18.
 * The overflow rule is that of vsx.S.
 */
#define BLOCKS_PER_FOLD 1024

	.abiversion 2
	.text

/* Two accumulators += the 32 bytes at displacement(r3). */
	.macro SUM_PAIR first, second, displacement
	lxvp	48, \displacement(%r3)
	vmsumuhm \first, %v16, %v18, \first
	vmsumuhm \second, %v17, %v18, \second
	.endm

	.macro ADD_PAIRS distance:req, registers:vararg
	.irp	i, \registers
	vadduwm	\i, \i, \i + \distance
	.endr
	.endm

	.globl	csum_partial
	.type	csum_partial, @function
	.balign	32
csum_partial:
	clrldi	%r5, %r5, 32
	vspltish %v18, 1
	.irp	i, 0, 1, 2, 3
	vspltisw \i, 0
	.endr
	cmpldi	%r4, 256
	blt	.Lbelow_256

.Lchunk:
	srdi	%r0, %r4, 8
	cmpldi	%r0, BLOCKS_PER_FOLD
	ble	1f
	li	%r0, BLOCKS_PER_FOLD
1:	mtctr	%r0
	sldi	%r0, %r0, 8
	subf	%r4, %r0, %r4
	.irp	i, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vspltisw \i, 0
	.endr

	.balign	32
.Lblock:
	SUM_PAIR 0, 1, 0
	SUM_PAIR 2, 3, 32
	SUM_PAIR 4, 5, 64
	SUM_PAIR 6, 7, 96
	SUM_PAIR 8, 9, 128
	SUM_PAIR 10, 11, 160
	SUM_PAIR 12, 13, 192
	SUM_PAIR 14, 15, 224
	addi	%r3, %r3, 256
	bdnz	.Lblock

	ADD_PAIRS 8, 0, 1, 2, 3, 4, 5, 6, 7
	ADD_PAIRS 4, 0, 1, 2, 3
	cmpldi	%r4, 256
	blt	.Lbelow_256
	ADD_PAIRS 2, 0, 1
	ADD_PAIRS 1, 0
	vspltisw %v1, 0
	vspltisw %v2, 0
	vspltisw %v3, 0
	vmsumuhm %v0, %v0, %v18, %v1
	b	.Lchunk

.Lbelow_256:
	andi.	%r0, %r4, 128
	beq	1f
	SUM_PAIR 0, 1, 0
	SUM_PAIR 2, 3, 32
	SUM_PAIR 0, 1, 64
	SUM_PAIR 2, 3, 96
	addi	%r3, %r3, 128
1:	andi.	%r0, %r4, 64
	beq	1f
	SUM_PAIR 0, 1, 0
	SUM_PAIR 2, 3, 32
	addi	%r3, %r3, 64
1:	andi.	%r0, %r4, 32
	beq	1f
	SUM_PAIR 0, 1, 0
	addi	%r3, %r3, 32
1:	andi.	%r0, %r4, 16
	beq	1f
	lxv	48, 0(%r3)
	vmsumuhm %v2, %v16, %v18, %v2
	addi	%r3, %r3, 16
1:
	/* The last 0 to 15 bytes. lxvl takes the length from the top byte of its register. */
	sldi	%r4, %r4, 60
	srdi	%r4, %r4, 4
	lxvl	48, %r3, %r4
	vmsumuhm %v3, %v16, %v18, %v3

	vspltisw %v19, 0
	ADD_PAIRS 2, 0, 1
	ADD_PAIRS 1, 0
	vmsumuhm %v0, %v0, %v18, %v19
	vsumsws	%v0, %v0, %v19
	mfvsrld	%r6, 32
	add	%r5, %r5, %r6
	rotldi	%r6, %r5, 32
	add	%r5, %r5, %r6
	srdi	%r3, %r5, 32
	blr
	.size	csum_partial, . - csum_partial

	.section .note.GNU-stack, "", @progbits
