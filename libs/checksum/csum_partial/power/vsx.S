/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for POWER8 and later, either byte order: VSX loads, VMX multiply-sum.
 *
 * assay-about: lxvd2x and vmsumuhm, sixteen accumulators
 * assay-requires: power8
 *
 * The instruction that other vector units lack, AltiVec has had since 1999: vmsumuhm multiplies unsigned
 * halfwords and adds both products of a word, and a third operand, modulo 2^32. With a multiplier of ones it
 * adds a vector's eight 16-bit words into four 32-bit lanes in one operation: no unpacking, no carry. 16
 * bytes cost one load and one operation, and a POWER8 core does two of each in a clock: 32 bytes/clock, where
 * the adde chain, at two clocks for each 8 bytes, has 4.
 *
 * Latency: seven clocks for vmsumuhm, two a clock: fourteen accumulators would just do, sixteen (v0-v15) make
 * an iteration of 256 bytes. An iteration is long enough to hide the three clocks of its taken branch, too.
 * v16-v18 take the loads in turn; renaming makes them as many as needed. v0-v19 are all the vector registers
 * that a function may overwrite.
 *
 * lxvd2x takes any alignment. On a little-endian machine it leaves the two doublewords exchanged, which
 * usually costs a swap, but an exchange of lanes does not change a sum. Within a doubleword the halfwords
 * have the values that lhz would give, in either byte order.
 *
 * Overflow: a lane, over all accumulators, grows by at most 2 * 65535 a vector, so 32768 vectors (512 KiB)
 * fit. After 256 KiB at the latest the lanes are folded by one more vmsumuhm, to 2 * 65535 at most, and go on
 * as the first accumulator.
 *
 * Below 64 bytes the sum is scalar. The kernel must own the vector registers (enable_kernel_vsx) to call this.
 */
#include "scalar.h"

#define BLOCKS_PER_FOLD 1024

	.abiversion 2
	.text

/* accumulator += the sixteen bytes at offset + base, by way of v(16 + temporary) */
	.macro SUM_VECTOR accumulator, offset, base, temporary
	lxvd2x	48 + \temporary, \offset, \base
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
	cmpldi	%r4, 64
	blt	.Lshort

	vspltish %v19, 1
	li	%r6, 16
	li	%r7, 32
	li	%r8, 48
	.irp	i, 0, 1, 2, 3
	vspltisw \i, 0
	.endr
	cmpldi	%r4, 256
	blt	.Lbelow_256
	li	%r9, 64
	li	%r10, 80
	li	%r11, 96
	li	%r12, 112

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
	addi	%r0, %r3, 128
	SUM_VECTOR 0, 0, %r3, 0
	SUM_VECTOR 1, %r6, %r3, 1
	SUM_VECTOR 2, %r7, %r3, 2
	SUM_VECTOR 3, %r8, %r3, 0
	SUM_VECTOR 4, %r9, %r3, 1
	SUM_VECTOR 5, %r10, %r3, 2
	SUM_VECTOR 6, %r11, %r3, 0
	SUM_VECTOR 7, %r12, %r3, 1
	addi	%r3, %r3, 256
	SUM_VECTOR 8, 0, %r0, 2
	SUM_VECTOR 9, %r6, %r0, 0
	SUM_VECTOR 10, %r7, %r0, 1
	SUM_VECTOR 11, %r8, %r0, 2
	SUM_VECTOR 12, %r9, %r0, 0
	SUM_VECTOR 13, %r10, %r0, 1
	SUM_VECTOR 14, %r11, %r0, 2
	SUM_VECTOR 15, %r12, %r0, 0
	bdnz	.Lblock

	/* Sixteen accumulators to four; v1-v3 are folded into v0 only if a further chunk follows. */
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
	addi	%r0, %r3, 64
	SUM_VECTOR 0, 0, %r3, 0
	SUM_VECTOR 1, %r6, %r3, 1
	SUM_VECTOR 2, %r7, %r3, 2
	SUM_VECTOR 3, %r8, %r3, 0
	addi	%r3, %r3, 128
	SUM_VECTOR 0, 0, %r0, 1
	SUM_VECTOR 1, %r6, %r0, 2
	SUM_VECTOR 2, %r7, %r0, 0
	SUM_VECTOR 3, %r8, %r0, 1
1:	andi.	%r0, %r4, 64
	beq	1f
	SUM_VECTOR 0, 0, %r3, 0
	SUM_VECTOR 1, %r6, %r3, 1
	SUM_VECTOR 2, %r7, %r3, 2
	SUM_VECTOR 3, %r8, %r3, 0
	addi	%r3, %r3, 64
1:	andi.	%r0, %r4, 32
	beq	1f
	SUM_VECTOR 0, 0, %r3, 1
	SUM_VECTOR 1, %r6, %r3, 2
	addi	%r3, %r3, 32
1:	andi.	%r0, %r4, 16
	beq	1f
	SUM_VECTOR 2, 0, %r3, 0
	addi	%r3, %r3, 16
1:
	/*
	 * Four 32-bit lanes of four accumulators to one number: halves of lanes, then lanes, whose sum
	 * vsumsws leaves in the last word.
	 */
	vspltisw %v18, 0
	ADD_PAIRS 2, 0, 1
	ADD_PAIRS 1, 0
	vmsumuhm %v0, %v0, %v19, %v18
	vsumsws	%v0, %v0, %v18
	ADD_LAST_15_BYTES
	xxswapd	32, 32
	mfvsrd	%r6, 32
	addc	%r5, %r5, %r6
	addze	%r5, %r5
	RETURN_FOLDED

.Lshort:
	ADD_48_BYTES
	ADD_LAST_15_BYTES
	RETURN_FOLDED
	.size	csum_partial, . - csum_partial

	.section .note.GNU-stack, "", @progbits
