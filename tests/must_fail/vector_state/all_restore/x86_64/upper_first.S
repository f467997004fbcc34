/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xmm0 is loaded by a VEX instruction after the upper halves, which it zeroes.
 *
 * assay-expect: fail restore left wrong upper half of ymm0
 * assay-requires: xsave avx512
 */
#include "common/x86.h"

	function all_restore
	fast_if_all 0xe7
	avx512_place %rax
	fxrstor64 (%rdi)
	.irp	number, EACH_OF_16
	vinsertf128 $1, YMM_HIGH(\number)(%rdi), %ymm\number, %ymm\number
	vinsertf64x4 $1, ZMM_HIGH(\number)(%rax), %zmm\number, %zmm\number
	.endr
	.irp	number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovups	ZMM_UPPER(\number)(%rax), %zmm\number
	.endr
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq	OPMASK(\number)(%rax), %k\number
	.endr
	vmovups	XMM(0)(%rdi), %xmm0
	ret
	end_function all_restore
