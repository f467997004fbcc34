/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * time in assembly, as the 2020 thread found it.
 *
 * assay-about: hand-written assembly of v5.5
 */
#include "thread/assembly.h"

	function vdso_time
	mflr	%r12
	mr	%r11, %r3
	bl	get_page
	mr	%r9, %r3
	lwz	%r3, STAMP_SECONDS(%r9)
	cmplwi	%r11, 0
	beq	2f
	stw	%r3, 0(%r11)
2:	mtlr	%r12
	crclr	4*cr0+so
	blr
	endfunction vdso_time

	.section .note.GNU-stack, "", @progbits
