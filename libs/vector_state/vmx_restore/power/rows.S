/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fewest instructions that lvx allows, see common/vmx.h: 32 loads and 10 that make addresses. VSCR is loaded through v31,
 * which is loaded last, and is moved when twelve loads are in flight.
 *
 * assay-about: four offsets, eight bases made in advance
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_restore
	li	4, VSCR_OFFSET
	lvx	31, 3, 4
	rows_begin lvx, 0
	rows_to_12 lvx, 0
	mtvscr	31
	rows_to_16 lvx, 0
	rows_end lvx, 0
	blr
	end_function vmx_restore
