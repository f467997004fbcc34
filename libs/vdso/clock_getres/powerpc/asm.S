/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_getres in assembly, as the 2020 thread found it: realtime and monotonic, everything else by a system call.
 *
 * assay-about: hand-written assembly of v5.5: realtime and monotonic, the rest by a system call
 */
#include "thread/assembly.h"

	function vdso_clock_getres
	cmpwi	%cr0, %r3, VDSO_CLOCK_REALTIME
	cmpwi	%cr1, %r3, VDSO_CLOCK_MONOTONIC
	cror	4*cr0+eq, 4*cr0+eq, 4*cr1+eq
	bne	%cr0, 9f

	mflr	%r12
	bl	get_page
	lwz	%r5, STAMP_RESOLUTION(%r3)
	mtlr	%r12
	li	%r3, 0
	cmplwi	%cr0, %r4, 0
	crclr	4*cr0+so
	beqlr
	stw	%r3, 0(%r4)
	stw	%r5, 4(%r4)
	blr

9:	li	%r0, SYSTEM_CALL_CLOCK_GETRES
	sc
	blr
	endfunction vdso_clock_getres

	.section .note.GNU-stack, "", @progbits
