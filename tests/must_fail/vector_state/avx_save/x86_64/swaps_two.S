/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xmm4 and xmm5 are stored in each other's slots.
 *
 * assay-expect: fail save left wrong in the area xmm4
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_save
	vstmxcsr MXCSR(%rdi)
	.irp	number, EACH_OF_16
	vmovups	%xmm\number, XMM(\number)(%rdi)
	vextractf128 $1, %ymm\number, YMM_HIGH(\number)(%rdi)
	.endr
	vmovups	%xmm5, XMM(4)(%rdi)
	vmovups	%xmm4, XMM(5)(%rdi)
	orq	$6, XSTATE_BV(%rdi)
	ret
	end_function avx_save
