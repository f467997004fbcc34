/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XSAVEOPT leaves out components that are in their initial state or have not changed since they were restored from here. edx:eax is the
 * mask of components; what the kernel has not enabled in XCR0 is ignored.
 *
 * assay-about: xsaveopt64 with the mask 0xe6
 * assay-requires: xsaveopt avx512
 */
#include "common/function.h"

	function avx512_save
	movl	$0xe6, %eax
	xorl	%edx, %edx
	xsaveopt64	(%rdi)
	ret
	end_function avx512_save
