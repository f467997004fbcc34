/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for POWER9 and later, either byte order: vmsumuhm, and no scalar tail at all.
 *
 * assay-about: lxv and vmsumuhm, the tail by lxvl
 * assay-requires: power9
 *
 * The method, its bound of 32 bytes/clock (two 128-bit superslices, two loads) and the overflow rule are
 * those of vsx.S. POWER9 adds:
 *  - lxv, a vector load with a displacement and the elements in order: no offset registers to set up;
 *  - lxvl, which loads as many bytes as a register says and zeroes the others, on the side where a zero-padded
 *    last word wants them, in either byte order. What it does not load it does not access: the tail is one
 *    load, without a branch, for every length;
 *  - mfvsrld, the low doubleword to a general register, where vsumsws leaves its sum.
 */
#define BLOCKS_PER_FOLD 1024

	.abiversion 2
	.text

	.macro SUM_VECTOR accumulator, displacement, temporary
	lxv	48 + \temporary, \displacement(%r3)
	vmsumuhm \accumulator, 16 + \temporary, %v19, \accumulator
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
	vspltish %v19, 1
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
	SUM_VECTOR 0, 0, 0
	SUM_VECTOR 1, 16, 1
	SUM_VECTOR 2, 32, 2
	SUM_VECTOR 3, 48, 0
	SUM_VECTOR 4, 64, 1
	SUM_VECTOR 5, 80, 2
	SUM_VECTOR 6, 96, 0
	SUM_VECTOR 7, 112, 1
	SUM_VECTOR 8, 128, 2
	SUM_VECTOR 9, 144, 0
	SUM_VECTOR 10, 160, 1
	SUM_VECTOR 11, 176, 2
	SUM_VECTOR 12, 192, 0
	SUM_VECTOR 13, 208, 1
	SUM_VECTOR 14, 224, 2
	SUM_VECTOR 15, 240, 0
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
	vmsumuhm %v0, %v0, %v19, %v1
	b	.Lchunk

.Lbelow_256:
	andi.	%r0, %r4, 128
	beq	1f
	SUM_VECTOR 0, 0, 0
	SUM_VECTOR 1, 16, 1
	SUM_VECTOR 2, 32, 2
	SUM_VECTOR 3, 48, 0
	SUM_VECTOR 0, 64, 1
	SUM_VECTOR 1, 80, 2
	SUM_VECTOR 2, 96, 0
	SUM_VECTOR 3, 112, 1
	addi	%r3, %r3, 128
1:	andi.	%r0, %r4, 64
	beq	1f
	SUM_VECTOR 0, 0, 0
	SUM_VECTOR 1, 16, 1
	SUM_VECTOR 2, 32, 2
	SUM_VECTOR 3, 48, 0
	addi	%r3, %r3, 64
1:	andi.	%r0, %r4, 32
	beq	1f
	SUM_VECTOR 0, 0, 1
	SUM_VECTOR 1, 16, 2
	addi	%r3, %r3, 32
1:	andi.	%r0, %r4, 16
	beq	1f
	SUM_VECTOR 2, 0, 0
	addi	%r3, %r3, 16
1:
	/* The last 0 to 15 bytes. lxvl takes the length from the top byte of its register. */
	sldi	%r4, %r4, 60
	srdi	%r4, %r4, 4
	lxvl	48, %r3, %r4
	vmsumuhm %v3, %v16, %v19, %v3

	vspltisw %v18, 0
	ADD_PAIRS 2, 0, 1
	ADD_PAIRS 1, 0
	vmsumuhm %v0, %v0, %v19, %v18
	vsumsws	%v0, %v0, %v18
	mfvsrld	%r6, 32
	add	%r5, %r5, %r6
	rotldi	%r6, %r5, 32
	add	%r5, %r5, %r6
	srdi	%r3, %r5, 32
	blr
	.size	csum_partial, . - csum_partial

	.section .note.GNU-stack, "", @progbits
