/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The form for 32-bit PowerPC: a chain of `adde` through eight words a turn. adde adds with the carry bit
 * XER[CA] and sets it, so a word costs a load and one addition; the carry survives the turn because neither
 * the loads with update nor bdnz touch it.
 *
 * The address is brought to a multiple of four first: these cores split, or on the smallest ones trap, a load
 * that crosses a doubleword or a page. A halfword is summed as one; from an odd address the bytes are summed in
 * the wrong halves, and the result is rotated by eight bits, which exchanges them.
 *
 * assay-about: one chain of adde, 32 bytes a turn
 */
	.text
	.balign	32
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	/* r3 data, r4 length, r5 sum; r12 is what the data alone come to. */
	cmpwi	%r4, 0
	mr	%r9, %r3			/* its lowest bit says whether to rotate */
	li	%r12, 0
	ble	.Lnothing
	andi.	%r0, %r3, 1
	beq	1f
	lbz	%r12, 0(%r3)			/* the second byte of a pair */
	addi	%r3, %r3, 1
	subi	%r4, %r4, 1
1:	andi.	%r0, %r3, 2
	beq	1f
	cmplwi	%r4, 2
	blt	1f
	lhz	%r0, 0(%r3)
	add	%r12, %r12, %r0			/* below 2^17 */
	addi	%r3, %r3, 2
	subi	%r4, %r4, 2
1:	srwi.	%r6, %r4, 5
	addic	%r0, %r12, 0			/* clears the carry */
	subi	%r3, %r3, 4			/* for loads with update, which step first */
	beq	.Lwords
	mtctr	%r6
.Lturn:
	lwz	%r6, 4(%r3)
	lwz	%r7, 8(%r3)
	lwz	%r8, 12(%r3)
	lwz	%r10, 16(%r3)
	adde	%r12, %r12, %r6
	lwz	%r6, 20(%r3)
	adde	%r12, %r12, %r7
	lwz	%r7, 24(%r3)
	adde	%r12, %r12, %r8
	lwz	%r8, 28(%r3)
	adde	%r12, %r12, %r10
	lwzu	%r10, 32(%r3)
	adde	%r12, %r12, %r6
	adde	%r12, %r12, %r7
	adde	%r12, %r12, %r8
	adde	%r12, %r12, %r10
	bdnz	.Lturn

.Lwords:
	rlwinm	%r6, %r4, 30, 29, 31		/* words left, 0 to 7; leaves the carry alone */
	cmplwi	%r6, 0
	beq	1f
	mtctr	%r6
2:	lwzu	%r6, 4(%r3)
	adde	%r12, %r12, %r6
	bdnz	2b
1:	mtcrf	0x01, %r4			/* the length's low bits in CR7: 2 is eq, 1 is so */
	bf	4*cr7+eq, 1f
	lhz	%r6, 4(%r3)
	addi	%r3, %r3, 2
	adde	%r12, %r12, %r6
1:	bf	4*cr7+so, 1f
	lbz	%r6, 4(%r3)
	slwi	%r6, %r6, 8
	adde	%r12, %r12, %r6
	/*
	 * The last carry. It cannot bring one more: that needs a sum of all ones together with a carry, and such a
	 * sum comes only out of another one, while the first is below 2^17.
	 */
1:	addze	%r12, %r12
	andi.	%r0, %r9, 1
	beq	.Lnothing
	rotlwi	%r12, %r12, 8
.Lnothing:
	addc	%r3, %r12, %r5
	addze	%r3, %r3
	blr
	.size	csum_partial, . - csum_partial

	.section .note.GNU-stack, "", @progbits
