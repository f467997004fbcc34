/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XRSTOR loads the components that are asked for and that XSTATE_BV says are there, and makes the others initial.
 *
 * assay-about: xrstor64 with the mask 0xe6
 * assay-requires: xsave avx512
 */
#include "common/function.h"

	function avx512_restore
	movl	$0xe6, %eax
	xorl	%edx, %edx
	xrstor64 (%rdi)
	ret
	end_function avx512_restore
