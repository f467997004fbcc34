/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lower half of ymm9 is stored in the upper half's slot.
 *
 * assay-expect: fail save left wrong in the area upper half of ymm9
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_save
	vstmxcsr MXCSR(%rdi)
	.irp	number, EACH_OF_16
	vmovups	%xmm\number, XMM(\number)(%rdi)
	vextractf128 $1, %ymm\number, YMM_HIGH(\number)(%rdi)
	.endr
	vextractf128 $0, %ymm9, YMM_HIGH(9)(%rdi)
	orq	$6, XSTATE_BV(%rdi)
	ret
	end_function avx_save
