/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The scalar form for 64-bit POWER: one chain of `adde` through eight doublewords a turn, as the kernel's
 * checksum_64.S has it. adde adds with the carry bit XER[CA] and sets it, so a doubleword costs one addition
 * and no comparison, and the carry survives the turn because neither the loads with update nor bdnz touch it.
 * The chain is also what bounds it: an adde after an adde is two cycles on POWER6 and POWER7 (the comment in
 * the kernel's file), so 64 bytes are 16 cycles, four bytes a cycle.
 *
 * Loads of any alignment are fast enough here to leave the address as it is, so there is no odd start to put
 * right. Serves both byte orders: everything is loaded in the machine's own, and the last bytes are placed
 * so that the first in memory is the first in value.
 *
 * assay-about: one chain of adde, 64 bytes a turn (the kernel's checksum_64.S has this form)
 */
	.abiversion 2
	.text
	.balign	32
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	/* r3 data, r4 length, r5 sum: all zero-extended or small, so they add in 64 bits. */
	extsw	%r4, %r4
	clrldi	%r5, %r5, 32
	srdi.	%r6, %r4, 6
	addic	%r0, %r5, 0			/* clears the carry */
	beq	.Ldoublewords
	mtctr	%r6
.Lturn:
	ld	%r6, 0(%r3)
	ld	%r7, 8(%r3)
	ld	%r8, 16(%r3)
	ld	%r9, 24(%r3)
	adde	%r5, %r5, %r6
	ld	%r10, 32(%r3)
	adde	%r5, %r5, %r7
	ld	%r11, 40(%r3)
	adde	%r5, %r5, %r8
	ld	%r12, 48(%r3)
	adde	%r5, %r5, %r9
	ld	%r0, 56(%r3)
	adde	%r5, %r5, %r10
	addi	%r3, %r3, 64
	adde	%r5, %r5, %r11
	adde	%r5, %r5, %r12
	adde	%r5, %r5, %r0
	bdnz	.Lturn

.Ldoublewords:
	rlwinm	%r6, %r4, 29, 29, 31		/* doublewords left, 0 to 7; leaves the carry alone */
	cmpldi	%r6, 0
	beq	.Lbytes
	mtctr	%r6
1:	ld	%r6, 0(%r3)
	addi	%r3, %r3, 8
	adde	%r5, %r5, %r6
	bdnz	1b

	/* The last seven bytes: a word, a halfword, a byte, as there are. */
.Lbytes:
	mtcrf	0x01, %r4			/* the length's low four bits in CR7; 4 is gt, 2 is eq, 1 is so */
	bf	4*cr7+gt, 1f
	lwz	%r6, 0(%r3)
	addi	%r3, %r3, 4
	adde	%r5, %r5, %r6
1:	bf	4*cr7+eq, 1f
	lhz	%r6, 0(%r3)
	addi	%r3, %r3, 2
	adde	%r5, %r5, %r6
1:	bf	4*cr7+so, 1f
	lbz	%r6, 0(%r3)
#ifdef __BIG_ENDIAN__
	sldi	%r6, %r6, 8
#endif
	adde	%r5, %r5, %r6
	/*
	 * The last carry. It cannot bring one more: that needs a sum of all ones together with a carry, and such a
	 * sum comes only out of another one, while the first is below 2^32.
	 */
1:	addze	%r5, %r5
	/* 64 bits to 32: the carry of the lower halves ends up in the upper one. */
	rotldi	%r6, %r5, 32
	add	%r3, %r5, %r6
	srdi	%r3, %r3, 32
	blr
	.size	csum_partial, . - csum_partial

	.section .note.GNU-stack, "", @progbits
