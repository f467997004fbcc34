/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XRSTOR loads the components that are asked for and that XSTATE_BV says are there, and makes the others initial.
 *
 * assay-about: xrstor64 with the mask 0x1
 * assay-requires: xsave
 */
#include "common/function.h"

	function x87_restore
	movl	$0x1, %eax
	xorl	%edx, %edx
	xrstor64 (%rdi)
	ret
	end_function x87_restore
