/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One chain of adde through the doublewords while they are copied (see csum_partial/power/adde.S for what
 * bounds it): the stores use another unit and come for free.
 *
 * assay-about: copy with one chain of adde, 64 bytes a turn
 */
	.macro	copy_doubleword offset, register
	ld	%r\register, \offset(%r3)
	std	%r\register, \offset(%r4)
	adde	%r6, %r6, %r\register
	.endm

	.abiversion 2
	.text
	.balign	32
	.globl	csum_partial_copy
	.type	csum_partial_copy, @function
csum_partial_copy:
	/* r3 source, r4 target, r5 length. */
	extsw	%r5, %r5
	srdi.	%r0, %r5, 6
	li	%r6, -1
	clrldi	%r6, %r6, 32
	addic	%r7, %r6, 0			/* clears the carry */
	beq	.Ldoublewords
	mtctr	%r0
.Lturn:
	copy_doubleword 0, 7
	copy_doubleword 8, 8
	copy_doubleword 16, 9
	copy_doubleword 24, 10
	copy_doubleword 32, 11
	copy_doubleword 40, 12
	copy_doubleword 48, 0
	copy_doubleword 56, 7
	addi	%r3, %r3, 64
	addi	%r4, %r4, 64
	bdnz	.Lturn

.Ldoublewords:
	rlwinm	%r7, %r5, 29, 29, 31		/* doublewords left, 0 to 7; leaves the carry alone */
	cmpldi	%r7, 0
	beq	.Lbytes
	mtctr	%r7
1:	copy_doubleword 0, 7
	addi	%r3, %r3, 8
	addi	%r4, %r4, 8
	bdnz	1b

.Lbytes:
	mtcrf	0x01, %r5			/* the length's low four bits in CR7; 4 is gt, 2 is eq, 1 is so */
	bf	4*cr7+gt, 1f
	lwz	%r7, 0(%r3)
	addi	%r3, %r3, 4
	stw	%r7, 0(%r4)
	addi	%r4, %r4, 4
	adde	%r6, %r6, %r7
1:	bf	4*cr7+eq, 1f
	lhz	%r7, 0(%r3)
	addi	%r3, %r3, 2
	sth	%r7, 0(%r4)
	addi	%r4, %r4, 2
	adde	%r6, %r6, %r7
1:	bf	4*cr7+so, 1f
	lbz	%r7, 0(%r3)
	stb	%r7, 0(%r4)
#ifdef __BIG_ENDIAN__
	sldi	%r7, %r7, 8
#endif
	adde	%r6, %r6, %r7
1:	addze	%r6, %r6			/* brings no further carry: see csum_partial/power/adde.S */
	rotldi	%r7, %r6, 32
	add	%r3, %r6, %r7
	srdi	%r3, %r3, 32
	blr
	.size	csum_partial_copy, . - csum_partial_copy

	.section .note.GNU-stack, "", @progbits
