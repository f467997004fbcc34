/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * v20 and v21 are stored in each other's slots.
 *
 * assay-expect: fail save left wrong in the area v20
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_save
	batch	stvx, 0
	li	4, 16 * 20
	stvx	21, 3, 4
	li	4, 16 * 21
	stvx	20, 3, 4
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function vmx_save
