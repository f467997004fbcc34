/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One chain of adde through the words while they are copied. The target is aligned to a multiple of four first,
 * because an unaligned store costs more than an unaligned load on these cores; if that takes an odd number of
 * bytes, everything is summed in the wrong halves and the result is rotated by eight bits.
 *
 * assay-about: copy with one chain of adde, 16 bytes a turn, target aligned
 */
	.text
	.balign	32
	.globl	csum_partial_copy
	.type	csum_partial_copy, @function
csum_partial_copy:
	/* r3 source, r4 target, r5 length, r6 sum. */
	cmpwi	%r5, 0
	mr	%r12, %r4			/* its lowest bit says whether to rotate */
	li	%r6, 0
	ble	.Lempty
	andi.	%r0, %r4, 1
	beq	1f
	lbz	%r6, 0(%r3)			/* the second byte of a pair */
	addi	%r3, %r3, 1
	stb	%r6, 0(%r4)
	addi	%r4, %r4, 1
	subi	%r5, %r5, 1
1:	andi.	%r0, %r4, 2
	beq	1f
	cmplwi	%r5, 2
	blt	1f
	lhz	%r0, 0(%r3)
	addi	%r3, %r3, 2
	sth	%r0, 0(%r4)
	addi	%r4, %r4, 2
	add	%r6, %r6, %r0			/* below 2^17 */
	subi	%r5, %r5, 2
1:	srwi.	%r0, %r5, 4
	addic	%r7, %r6, 0			/* clears the carry */
	beq	.Lwords
	mtctr	%r0
.Lturn:
	lwz	%r7, 0(%r3)
	lwz	%r8, 4(%r3)
	lwz	%r9, 8(%r3)
	lwz	%r10, 12(%r3)
	addi	%r3, %r3, 16
	stw	%r7, 0(%r4)
	adde	%r6, %r6, %r7
	stw	%r8, 4(%r4)
	adde	%r6, %r6, %r8
	stw	%r9, 8(%r4)
	adde	%r6, %r6, %r9
	stw	%r10, 12(%r4)
	adde	%r6, %r6, %r10
	addi	%r4, %r4, 16
	bdnz	.Lturn

.Lwords:
	rlwinm	%r7, %r5, 30, 30, 31		/* words left, 0 to 3; leaves the carry alone */
	cmplwi	%r7, 0
	beq	1f
	mtctr	%r7
2:	lwz	%r7, 0(%r3)
	addi	%r3, %r3, 4
	stw	%r7, 0(%r4)
	addi	%r4, %r4, 4
	adde	%r6, %r6, %r7
	bdnz	2b
1:	mtcrf	0x01, %r5			/* the length's low bits in CR7: 2 is eq, 1 is so */
	bf	4*cr7+eq, 1f
	lhz	%r7, 0(%r3)
	addi	%r3, %r3, 2
	sth	%r7, 0(%r4)
	addi	%r4, %r4, 2
	adde	%r6, %r6, %r7
1:	bf	4*cr7+so, 1f
	lbz	%r7, 0(%r3)
	stb	%r7, 0(%r4)
	slwi	%r7, %r7, 8
	adde	%r6, %r6, %r7
1:	addze	%r6, %r6			/* brings no further carry: see csum_partial/powerpc/adde.S */
	andi.	%r0, %r12, 1
	beq	1f
	rotlwi	%r6, %r6, 8
1:	cmpwi	%r6, 0				/* all zeros: the other zero, as from an initial sum of ones */
	mr	%r3, %r6
	bnelr
.Lempty:
	li	%r3, -1
	blr
	.size	csum_partial_copy, . - csum_partial_copy

	.section .note.GNU-stack, "", @progbits
