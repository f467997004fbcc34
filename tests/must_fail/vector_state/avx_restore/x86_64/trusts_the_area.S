/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XSTATE_BV is not tested: a component that XSAVEOPT has left out is loaded from stale memory.
 *
 * assay-expect: fail XSTATE_BV leaves out component
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_restore
	.irp	number, EACH_OF_16
	vmovups	XMM(\number)(%rdi), %xmm\number
	vinsertf128 $1, YMM_HIGH(\number)(%rdi), %ymm\number, %ymm\number
	.endr
	vldmxcsr MXCSR(%rdi)
	ret
	end_function avx_restore
