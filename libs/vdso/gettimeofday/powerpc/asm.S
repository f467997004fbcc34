/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gettimeofday in assembly, as the 2020 thread found it.
 *
 * assay-about: hand-written assembly of v5.5
 */
#include "thread/assembly.h"

	define_read_stamp

	function vdso_gettimeofday
	mflr	%r12
	mr	%r10, %r3
	mr	%r11, %r4
	bl	get_page
	mr	%r9, %r3
	cmplwi	%r10, 0
	beq	3f
	lis	%r7, VDSO_USEC_PER_SEC@ha
	addi	%r7, %r7, VDSO_USEC_PER_SEC@l
	bl	read_stamp
	stw	%r3, 0(%r10)
	stw	%r4, 4(%r10)

3:	cmplwi	%r11, 0
	beq	1f
	lwz	%r4, VDSO_TZ_MINUTESWEST(%r9)
	lwz	%r5, VDSO_TZ_DSTTIME(%r9)
	stw	%r4, 0(%r11)
	stw	%r5, 4(%r11)

1:	mtlr	%r12
	crclr	4*cr0+so
	li	%r3, 0
	blr
	endfunction vdso_gettimeofday

	.section .note.GNU-stack, "", @progbits
