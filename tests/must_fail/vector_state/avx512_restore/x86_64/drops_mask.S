/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * k0 is not loaded: as a write mask its encoding means no mask, so it is easily forgotten.
 *
 * assay-expect: fail restore left wrong k0
 * assay-requires: xsave avx512
 */
#include "common/x86.h"

	function avx512_restore
	fast_if_all 0xe6
	avx512_place %rax
	.irp	number, EACH_OF_16
	vmovups	XMM(\number)(%rdi), %xmm\number
	vinsertf128 $1, YMM_HIGH(\number)(%rdi), %ymm\number, %ymm\number
	vinsertf64x4 $1, ZMM_HIGH(\number)(%rax), %zmm\number, %zmm\number
	.endr
	.irp	number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovups	ZMM_UPPER(\number)(%rax), %zmm\number
	.endr
	.irp	number, 1, 2, 3, 4, 5, 6, 7
	kmovq	OPMASK(\number)(%rax), %k\number
	.endr
	vldmxcsr MXCSR(%rdi)
	ret
	end_function avx512_restore
