/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XSAVEC leaves out components that are in their initial state; its compacted format is the standard one up to AVX. edx:eax is the
 * mask of components; what the kernel has not enabled in XCR0 is ignored.
 *
 * assay-about: xsavec64 with the mask 0x6
 * assay-requires: xsavec avx
 */
#include "common/function.h"

	function avx_save
	movl	$0x6, %eax
	xorl	%edx, %edx
	xsavec64	(%rdi)
	ret
	end_function avx_save
