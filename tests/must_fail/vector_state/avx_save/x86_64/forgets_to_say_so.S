/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XSTATE_BV does not mark the registers as saved: XRSTOR would zero them.
 *
 * assay-expect: fail save left wrong in the area
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_save
	vstmxcsr MXCSR(%rdi)
	.irp	number, EACH_OF_16
	vmovups	%xmm\number, XMM(\number)(%rdi)
	vextractf128 $1, %ymm\number, YMM_HIGH(\number)(%rdi)
	.endr
	ret
	end_function avx_save
