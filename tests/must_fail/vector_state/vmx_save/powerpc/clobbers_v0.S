/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As Linux before 5e1d824f9a28 (2023): VSCR is stored through v0, which is not restored.
 *
 * assay-expect: fail save clobbered v0
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_save
	batch	stvx, 0
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	blr
	end_function vmx_save
