/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XSAVEC leaves out components that are in their initial state. Its compacted format is the standard one up to AVX but for the
 * header, which is put right afterwards (common/x86.h). edx:eax is the mask of components; what the kernel has not enabled in
 * XCR0 is ignored.
 *
 * assay-about: xsavec64 with the mask 0x2, then the header
 * assay-requires: xsavec
 */
#include "common/x86.h"

	function sse_save
	stmxcsr	MXCSR(%rdi)
	xsavec_beside 0x2
	ret
	end_function sse_save
