/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the POWER vector variants share: buffers too short for a vector, the bytes after the last vector, the
 * final fold.
 *
 * Registers, in all of them: r3 the next byte, r4 the bytes left, r5 the 64-bit sum. Any r0, r6-r12 may be
 * overwritten. The carry bit CA is kept over these steps: adde both takes and gives it, and neither andi. nor
 * a load nor a branch touches it.
 */
#ifndef CHECKSUM_POWER_SCALAR_H
#define CHECKSUM_POWER_SCALAR_H

/* sum + the last r4 & 15 bytes at r3. */
	.macro ADD_LAST_15_BYTES
	addic	%r5, %r5, 0		/* CA = 0 */
	andi.	%r0, %r4, 8
	beq	91f
	ld	%r6, 0(%r3)
	addi	%r3, %r3, 8
	adde	%r5, %r5, %r6
91:	andi.	%r0, %r4, 4
	beq	92f
	lwz	%r6, 0(%r3)
	addi	%r3, %r3, 4
	adde	%r5, %r5, %r6
92:	andi.	%r0, %r4, 2
	beq	93f
	lhz	%r6, 0(%r3)
	addi	%r3, %r3, 2
	adde	%r5, %r5, %r6
93:	andi.	%r0, %r4, 1
	beq	94f
	lbz	%r6, 0(%r3)
#ifndef __LITTLE_ENDIAN__
	sldi	%r6, %r6, 8		/* the first byte of a word whose second is zero */
#endif
	adde	%r5, %r5, %r6
94:	addze	%r5, %r5
	.endm

/* sum + r4 & 48 bytes at r3, as six words at most. */
	.macro ADD_48_BYTES
	andi.	%r0, %r4, 32
	beq	95f
	ld	%r6, 0(%r3)
	ld	%r7, 8(%r3)
	ld	%r8, 16(%r3)
	ld	%r9, 24(%r3)
	addi	%r3, %r3, 32
	addc	%r5, %r5, %r6
	adde	%r5, %r5, %r7
	adde	%r5, %r5, %r8
	adde	%r5, %r5, %r9
	addze	%r5, %r5
95:	andi.	%r0, %r4, 16
	beq	96f
	ld	%r6, 0(%r3)
	ld	%r7, 8(%r3)
	addi	%r3, %r3, 16
	addc	%r5, %r5, %r6
	adde	%r5, %r5, %r7
	addze	%r5, %r5
96:
	.endm

/* Return r5 folded to 32 bits, end around: the sum of the halves, carry included, arrives in the upper half. */
	.macro RETURN_FOLDED
	rotldi	%r6, %r5, 32
	add	%r5, %r5, %r6
	srdi	%r3, %r5, 32
	blr
	.endm

#endif
