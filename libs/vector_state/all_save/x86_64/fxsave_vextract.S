/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FXSAVE stores the x87 and SSE parts, to the same places as XSAVE; the wider parts of the vectors are stored by moves.
 *
 * assay-about: fxsave64, vextractf128, vextractf64x4, vmovups
 * assay-requires: xsave avx512
 */
#include "common/x86.h"

	function all_save
	fxsave64 (%rdi)
	avx512_place %rax
	.irp	number, EACH_OF_16
	vextractf128 $1, %ymm\number, YMM_HIGH(\number)(%rdi)
	vextractf64x4 $1, %zmm\number, ZMM_HIGH(\number)(%rax)
	.endr
	.irp	number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovups	%zmm\number, ZMM_UPPER(\number)(%rax)
	.endr
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq	%k\number, OPMASK(\number)(%rax)
	.endr
	orq	$0xe7, XSTATE_BV(%rdi)
	ret
	end_function all_save
