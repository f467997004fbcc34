/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit PowerPC's calls in assembly as they were when the 2020 thread began (v5.5): the sequence of instructions is that
 * of arch/powerpc/kernel/vdso32 then, the text is ours. It is the baseline for the C.
 *
 * Time is kept in a form of its own, `struct vdso_powerpc_stamp`: the time base since a stamp, times a scale whose upper 32
 * bits alone are used, is a number of seconds with 32 binary places; one more multiplication makes nanoseconds or
 * microseconds of the fraction. Fixed shifts by 12 make the product come out in the upper word of mulhwu.
 *
 * Loads stay in order without a barrier: each address is made to depend on the value that has to be read before it, by
 * adding the exclusive or of that value with itself.
 */
#ifndef VDSO_THREAD_ASSEMBLY_H
#define VDSO_THREAD_ASSEMBLY_H

#include "calls.h"
#include "thread/system_call.h"

#define STAMP_UPDATE_COUNT	(VDSO_POWERPC_STAMP + 0)
#define STAMP_FRACTION		(VDSO_POWERPC_STAMP + 4)
#define STAMP_TIME_BASE		(VDSO_POWERPC_STAMP + 8)
#define STAMP_SCALE		(VDSO_POWERPC_STAMP + 16)
/* The lower words of 64-bit fields. */
#define STAMP_SECONDS		(VDSO_POWERPC_STAMP + 28)
#define STAMP_WTOM_SECONDS	(VDSO_POWERPC_STAMP + 36)
#define STAMP_WTOM_NANOSECONDS	(VDSO_POWERPC_STAMP + 44)
#define STAMP_RESOLUTION	(VDSO_POWERPC_STAMP + 48)


	.macro	function name
	.section .text.\name, "ax", @progbits
	.balign	4
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.macro	endfunction name
	.size	\name, . - \name
	.endm

/* Tells a test that the stamp is read, so that it expects the stamp's precision. */
	.section .rodata.vdso_reads_stamp, "a", @progbits
	.globl	vdso_reads_stamp
vdso_reads_stamp:
	.byte	1

/* r3: the page, by a distance that is stored after the branch. Changes r0. */
	.section .text.get_page, "ax", @progbits
	.balign	4
	.type	get_page, @function
get_page:
	mflr	%r0
	bcl	20, 31, 2f
1:	.long	vdso_data_page - 1b
2:	mflr	%r3
	mtlr	%r0
	lwz	%r0, 0(%r3)
	add	%r3, %r0, %r3
	blr
	.size	get_page, . - get_page

/*
 * r3: seconds; r4: the fraction, in units of which r7 make a second. r9 is the page; r8 becomes the update count, for a caller
 * that has more to read. Changes r0, r5, r6 and CR0.
 */
	.macro	define_read_stamp
	.section .text.read_stamp, "ax", @progbits
	.balign	4
	.type	read_stamp, @function
read_stamp:
1:	lwz	%r8, STAMP_UPDATE_COUNT(%r9)
	andi.	%r0, %r8, 1
	bne-	1b
	xor	%r0, %r8, %r8
	add	%r9, %r9, %r0

	lwz	%r5, STAMP_TIME_BASE(%r9)
	lwz	%r6, STAMP_TIME_BASE + 4(%r9)
2:	mftbu	%r3
	mftb	%r4
	mftbu	%r0
	cmplw	%cr0, %r3, %r0
	bne-	2b

	/* The ticks since, shifted left by 12, in r0 and r4. */
	subfc	%r4, %r6, %r4
	subfe	%r0, %r5, %r3
	slwi	%r0, %r0, 12
	rlwimi.	%r0, %r4, 12, 20, 31
	slwi	%r4, %r4, 12

	lwz	%r5, STAMP_SCALE(%r9)
	mulhwu	%r4, %r4, %r5
	li	%r3, 0
	/* An update is never as long ago as 2^20 ticks. */
	beq+	4f
	mulhwu	%r3, %r0, %r5
	mullw	%r5, %r0, %r5
	addc	%r4, %r4, %r5
	addze	%r3, %r3
4:
	lwz	%r5, STAMP_SECONDS(%r9)
	lwz	%r6, STAMP_FRACTION(%r9)
	addc	%r4, %r4, %r6
	adde	%r3, %r3, %r5

	or	%r6, %r4, %r3
	xor	%r0, %r6, %r6
	add	%r9, %r9, %r0
	lwz	%r0, STAMP_UPDATE_COUNT(%r9)
	cmplw	%cr0, %r8, %r0
	bne-	1b
	mulhwu	%r4, %r4, %r7
	blr
	.size	read_stamp, . - read_stamp
	.endm

#endif
