/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XSAVEC's own header: XRSTOR would fault after a further save into the area.
 *
 * assay-expect: fail which is not the standard format
 * assay-requires: xsavec avx
 */
#include "common/function.h"

	function avx_save
	movl	$6, %eax
	xorl	%edx, %edx
	xsavec64 (%rdi)
	ret
	end_function avx_save
