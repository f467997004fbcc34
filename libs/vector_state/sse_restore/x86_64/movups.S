/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sixteen loads and MXCSR, if the area holds them.
 *
 * assay-about: sixteen movups, if the area holds them
 * assay-requires: xsave
 */
#include "common/x86.h"

	function sse_restore
	fast_if_all 2
	.irp	number, EACH_OF_16
	movups	XMM(\number)(%rdi), %xmm\number
	.endr
	ldmxcsr	MXCSR(%rdi)
	ret
	end_function sse_restore
