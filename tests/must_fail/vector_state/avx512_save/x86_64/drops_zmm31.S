/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * zmm31, which VEX cannot encode, is not stored.
 *
 * assay-expect: fail save left wrong in the area zmm 16 + 15
 * assay-requires: xsave avx512
 */
#include "common/x86.h"

	function avx512_save
	vstmxcsr MXCSR(%rdi)
	avx512_place %rax
	.irp	number, EACH_OF_16
	vmovups	%xmm\number, XMM(\number)(%rdi)
	vextractf128 $1, %ymm\number, YMM_HIGH(\number)(%rdi)
	vextractf64x4 $1, %zmm\number, ZMM_HIGH(\number)(%rax)
	.endr
	.irp	number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
	vmovups	%zmm\number, ZMM_UPPER(\number)(%rax)
	.endr
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq	%k\number, OPMASK(\number)(%rax)
	.endr
	orq	$0xe6, XSTATE_BV(%rdi)
	ret
	end_function avx512_save
