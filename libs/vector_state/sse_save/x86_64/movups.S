/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sixteen stores, MXCSR, and the bit that says that they are there.
 *
 * assay-about: sixteen movups
 * assay-requires: xsave
 */
#include "common/x86.h"

	function sse_save
	stmxcsr	MXCSR(%rdi)
	.irp	number, EACH_OF_16
	movups	%xmm\number, XMM(\number)(%rdi)
	.endr
	orq	$2, XSTATE_BV(%rdi)
	ret
	end_function sse_save
