/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XSTATE_BV no longer marks what other saves have put into the area.
 *
 * assay-expect: fail save forgets what else the area holds
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_save
	vstmxcsr MXCSR(%rdi)
	.irp	number, EACH_OF_16
	vmovups	%xmm\number, XMM(\number)(%rdi)
	vextractf128 $1, %ymm\number, YMM_HIGH(\number)(%rdi)
	.endr
	movq	$6, XSTATE_BV(%rdi)
	ret
	end_function avx_save
