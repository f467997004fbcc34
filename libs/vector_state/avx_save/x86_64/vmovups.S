/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The format splits each register, so there are 32 stores: the lower half by vmovups, the upper by vextractf128, which
 * stores directly.
 *
 * assay-about: vmovups and vextractf128
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_save
	vstmxcsr MXCSR(%rdi)
	.irp	number, EACH_OF_16
	vmovups	%xmm\number, XMM(\number)(%rdi)
	vextractf128 $1, %ymm\number, YMM_HIGH(\number)(%rdi)
	.endr
	orq	$6, XSTATE_BV(%rdi)
	ret
	end_function avx_save
