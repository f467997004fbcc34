/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XSAVEOPT leaves out components that are in their initial state or have not changed since they were restored from here. edx:eax is the
 * mask of components; what the kernel has not enabled in XCR0 is ignored.
 *
 * assay-about: xsaveopt64 with the mask 0x1
 * assay-requires: xsaveopt
 */
#include "common/function.h"

	function x87_save
	movl	$0x1, %eax
	xorl	%edx, %edx
	xsaveopt64	(%rdi)
	ret
	end_function x87_save
