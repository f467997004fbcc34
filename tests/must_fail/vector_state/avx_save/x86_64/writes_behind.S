/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A register is stored behind the area.
 *
 * assay-expect: fail wrote behind the area
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_save
	vstmxcsr MXCSR(%rdi)
	.irp	number, EACH_OF_16
	vmovups	%xmm\number, XMM(\number)(%rdi)
	vextractf128 $1, %ymm\number, YMM_HIGH(\number)(%rdi)
	.endr
	vmovups	%xmm0, YMM_HIGH(16)(%rdi)
	orq	$6, XSTATE_BV(%rdi)
	ret
	end_function avx_save
