/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MXCSR is not loaded.
 *
 * assay-expect: fail restore left wrong MXCSR
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_restore
	fast_if_all 6
	.irp	number, EACH_OF_16
	vmovups	XMM(\number)(%rdi), %xmm\number
	vinsertf128 $1, YMM_HIGH(\number)(%rdi), %ymm\number, %ymm\number
	.endr
	ret
	end_function avx_restore
