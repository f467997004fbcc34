/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small sequences of 32-bit PowerPC whose differences in time are published: the old vDSO's clock_getres in assembly,
 * in its form of the years 2019 and 2020; what its clock_gettime does more for the monotonic clock than for that of the
 * day; and nineteen registers saved and loaded again in two ways.
 */
#define CLOCK_REALTIME_COARSE	 5
#define CLOCK_MONOTONIC_COARSE	 6
#define CLOCK_MAX		 15
#define LOW_RES			 4000000
#define RES_OFFSET		 64

	.text

/* getres(clock, result): the page's address comes from the program counter, the resolution from the page. */
	.macro	getres name, page
	.balign	16
	.globl	\name
	.type	\name, @function
\name:
	cmplwi	%cr0, %r3, CLOCK_MAX
	cmpwi	%cr1, %r3, CLOCK_REALTIME_COARSE
	cmpwi	%cr7, %r3, CLOCK_MONOTONIC_COARSE
	bgt	%cr0, 9f
	lis	%r5, LOW_RES@ha
	addi	%r5, %r5, LOW_RES@l
	beq	%cr1, 1f
	beq	%cr7, 1f
	mflr	%r12
	\page	%r3, %r6
	lwz	%r5, RES_OFFSET(%r3)
	mtlr	%r12
1:	li	%r3, 0
	cmplwi	%cr0, %r4, 0
	crclr	4*cr0+so
	beqlr
	stw	%r3, 0(%r4)
	stw	%r5, 4(%r4)
	blr
9:	li	%r3, -1
	blr
	.size	\name, . - \name
	.endm

	/* The page stands at a known distance. */
	.macro	page_by_addi page, free
	bcl	20, 31, .+4
2:	mflr	\page
	addi	\page, \page, clock_page - 2b
	.endm

	/* The distance is loaded, as before the page had a fixed place. */
	.macro	page_by_lwz page, free
	bcl	20, 31, .+4
2:	mflr	\page
	addi	\page, \page, clock_page_distance - 2b
	lwz	\free, 0(\page)
	add	\page, \free, \page
	.endm

	getres	getres, page_by_addi
	getres	getres_by_lwz, page_by_lwz

/* In the code's section, since the distance has to be known to the assembler. */
	.balign	4
clock_page_distance:
	.long	clock_page - clock_page_distance
	.balign	64
clock_page:
	.space	128

/*
 * gettime(clock, result): of clock_gettime what stands behind the reading of the time base, with a time of day of
 * 1 s and 2 ns. For the monotonic clock (1) the offset is loaded, the update count is looked at again, by an address
 * that waits for the offset, and seconds and nanoseconds are added and brought into range.
 */
	.balign	16
	.globl	gettime
	.type	gettime, @function
gettime:
	cmplwi	%cr1, %r3, 1
	mr	%r11, %r4
	lis	%r9, clock_page@ha
	addi	%r9, %r9, clock_page@l
	lis	%r7, 1000000000@h
	ori	%r7, %r7, 1000000000@l
	lwz	%r8, 0(%r9)
	li	%r3, 1
	li	%r4, 2
	bne	%cr1, 8f
	lwz	%r5, 4(%r9)
	lwz	%r6, 8(%r9)
	or	%r0, %r6, %r5
	xor	%r0, %r0, %r0
	add	%r9, %r9, %r0
	lwz	%r0, 0(%r9)
	cmplw	%cr0, %r8, %r0
	bne-	%cr0, 8f
	add	%r3, %r3, %r5
	add	%r4, %r4, %r6
	cmpw	%cr0, %r4, %r7
	cmpwi	%cr1, %r4, 0
	blt	%cr0, 1f
	subf	%r4, %r7, %r4
	addi	%r3, %r3, 1
1:	bge	%cr1, 8f
	addi	%r3, %r3, -1
	add	%r4, %r4, %r7
8:	stw	%r3, 0(%r11)
	stw	%r4, 4(%r11)
	crclr	4*cr0+so
	li	%r3, 0
	blr
	.size	gettime, . - gettime

/* save_multiple(room), save_single(room): r13 to r31, 76 bytes. */
	.balign	16
	.globl	save_multiple
	.type	save_multiple, @function
save_multiple:
	stmw	%r13, 0(%r3)
	lmw	%r13, 0(%r3)
	blr
	.size	save_multiple, . - save_multiple

	.balign	16
	.globl	save_single
	.type	save_single, @function
save_single:
	.irp	number, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	stw	%r\number, 4 * (\number - 13)(%r3)
	.endr
	.irp	number, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	lwz	%r\number, 4 * (\number - 13)(%r3)
	.endr
	blr
	.size	save_single, . - save_single

	.section .note.GNU-stack, "", @progbits
