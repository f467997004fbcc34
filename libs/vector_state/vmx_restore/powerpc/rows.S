/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fewest instructions that lvx allows, see common/vmx.h: 32 loads and 10 that make addresses.
 *
 * assay-about: four offsets, eight bases made in advance
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_restore
	li	4, VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	rows_begin lvx, 0
	rows_go_on lvx, 0
	blr
	end_function vmx_restore
