/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XSAVE stores every component that is asked for. edx:eax is the
 * mask of components; what the kernel has not enabled in XCR0 is ignored.
 *
 * assay-about: xsave64 with the mask 0x1
 * assay-requires: xsave
 */
#include "common/function.h"

	function x87_save
	movl	$0x1, %eax
	xorl	%edx, %edx
	xsave64	(%rdi)
	ret
	end_function x87_save
