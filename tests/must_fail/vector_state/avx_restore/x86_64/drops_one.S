/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lower half of ymm13 is loaded from ymm12's slot.
 *
 * assay-expect: fail restore left wrong xmm13
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_restore
	fast_if_all 6
	.irp	number, EACH_OF_16
	vmovups	XMM(\number)(%rdi), %xmm\number
	vinsertf128 $1, YMM_HIGH(\number)(%rdi), %ymm\number, %ymm\number
	.endr
	vmovups	XMM(12)(%rdi), %xmm13
	vinsertf128 $1, YMM_HIGH(13)(%rdi), %ymm13, %ymm13
	vldmxcsr MXCSR(%rdi)
	ret
	end_function avx_restore
