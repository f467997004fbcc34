/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XSAVE stores every component that is asked for. edx:eax is the
 * mask of components; what the kernel has not enabled in XCR0 is ignored.
 *
 * assay-about: xsave64 with the mask 0x6
 * assay-requires: xsave avx
 */
#include "common/function.h"

	function avx_save
	movl	$0x6, %eax
	xorl	%edx, %edx
	xsave64	(%rdi)
	ret
	end_function avx_save
