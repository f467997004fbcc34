/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * v12 is stored in v13's slot: a copied line with a number left unchanged.
 *
 * assay-expect: fail save left wrong in the area v13
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_save
	batch	stvx, 0
	li	4, 16 * 13
	stvx	12, 3, 4
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function vmx_save
