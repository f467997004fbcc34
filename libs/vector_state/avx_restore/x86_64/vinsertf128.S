/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lower half by vmovups, the upper by vinsertf128 from memory.
 *
 * assay-about: vmovups and vinsertf128, if the area holds both halves
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_restore
	fast_if_all 6
	.irp	number, EACH_OF_16
	vmovups	XMM(\number)(%rdi), %xmm\number
	vinsertf128 $1, YMM_HIGH(\number)(%rdi), %ymm\number, %ymm\number
	.endr
	vldmxcsr MXCSR(%rdi)
	ret
	end_function avx_restore
