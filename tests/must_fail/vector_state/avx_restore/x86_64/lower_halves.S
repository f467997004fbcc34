/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * movups restores the lower halves and leaves the upper ones: SSE code on a machine with AVX.
 *
 * assay-expect: fail restore left wrong upper half of ymm
 * assay-requires: xsave avx
 */
#include "common/x86.h"

	function avx_restore
	fast_if_all 6
	.irp	number, EACH_OF_16
	movups	XMM(\number)(%rdi), %xmm\number
	.endr
	ldmxcsr	MXCSR(%rdi)
	ret
	end_function avx_restore
