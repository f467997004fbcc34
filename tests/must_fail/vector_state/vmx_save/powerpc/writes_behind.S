/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * VSCR is also stored in the sixteen bytes behind its slot.
 *
 * assay-expect: fail wrote behind the area
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_save
	batch	stvx, 0
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	li	4, VSCR_OFFSET + 16
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function vmx_save
