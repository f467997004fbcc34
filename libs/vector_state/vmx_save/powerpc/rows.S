/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fewest instructions that stvx allows, see common/vmx.h: 32 stores and 10 that make addresses. Each of these follows a pair
 * of stores, where POWER8's dispatch group has a slot left, and no address depends on one that was computed just before. VSCR
 * is read early, because that takes longest, and v0, which receives it, is loaded again while the rest is stored.
 *
 * assay-about: four offsets, eight bases made in advance
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_save
	rows_begin stvx, 0
	mfvscr	0
	rows_go_on stvx, 0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function vmx_save
