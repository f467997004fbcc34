/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_gettime in assembly, as the 2020 thread found it: realtime and monotonic, everything else by a system call.
 *
 * assay-about: hand-written assembly of v5.5: realtime and monotonic, the rest by a system call
 */
#include "thread/assembly.h"

	define_read_stamp

	function vdso_clock_gettime
	cmplwi	%cr0, %r3, VDSO_CLOCK_REALTIME
	cmplwi	%cr1, %r3, VDSO_CLOCK_MONOTONIC
	cror	4*cr0+eq, 4*cr0+eq, 4*cr1+eq
	bne	%cr0, 9f

	mflr	%r12
	mr	%r11, %r4
	bl	get_page
	mr	%r9, %r3
	lis	%r7, VDSO_NSEC_PER_SEC@h
	ori	%r7, %r7, VDSO_NSEC_PER_SEC@l
1:	bl	read_stamp
	bne	%cr1, 8f

	/* The distance from realtime to monotonic belongs to the same update. */
	lwz	%r5, STAMP_WTOM_SECONDS(%r9)
	lwz	%r6, STAMP_WTOM_NANOSECONDS(%r9)
	or	%r0, %r6, %r5
	xor	%r0, %r0, %r0
	add	%r9, %r9, %r0
	lwz	%r0, STAMP_UPDATE_COUNT(%r9)
	cmplw	%cr0, %r8, %r0
	bne-	1b

	add	%r3, %r3, %r5
	add	%r4, %r4, %r6
	cmpw	%cr0, %r4, %r7
	cmpwi	%cr1, %r4, 0
	blt	2f
	subf	%r4, %r7, %r4
	addi	%r3, %r3, 1
2:	bge	%cr1, 8f
	addi	%r3, %r3, -1
	add	%r4, %r4, %r7

8:	stw	%r3, 0(%r11)
	stw	%r4, 4(%r11)
	mtlr	%r12
	crclr	4*cr0+so
	li	%r3, 0
	blr

9:	li	%r0, SYSTEM_CALL_CLOCK_GETTIME
	sc
	blr
	endfunction vdso_clock_gettime

	.section .note.GNU-stack, "", @progbits
