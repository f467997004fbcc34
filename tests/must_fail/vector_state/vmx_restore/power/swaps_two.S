/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * v20 and v21 are loaded from each other's slots.
 *
 * assay-expect: fail restore left wrong v20
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_restore
	li	4, VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	batch	lvx, 0
	li	4, 16 * 20
	lvx	21, 3, 4
	li	4, 16 * 21
	lvx	20, 3, 4
	blr
	end_function vmx_restore
