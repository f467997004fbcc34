/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xmm12 is stored in xmm13's slot: a copied line with a number left unchanged.
 *
 * assay-expect: fail save left wrong in the area xmm13
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_save
	vstmxcsr MXCSR(%rdi)
	.irp	number, EACH_OF_16
	vmovups	%xmm\number, XMM(\number)(%rdi)
	vextractf128 $1, %ymm\number, YMM_HIGH(\number)(%rdi)
	.endr
	vmovups	%xmm12, XMM(13)(%rdi)
	orq	$6, XSTATE_BV(%rdi)
	ret
	end_function avx_save
