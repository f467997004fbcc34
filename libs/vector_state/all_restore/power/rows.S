/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fewest address instructions for both halves. The control registers go through vs31 and v31, which are loaded last in their
 * halves, and are moved when twelve loads of the half are in flight.
 *
 * assay-about: four offsets, eight bases made in advance
 * assay-requires: power7
 */
#include "common/vsx.h"

	function all_restore
	li	4, 640+VSCR_OFFSET
	lvx	31, 3, 4
	lfd	31, FPSCR_OFFSET(3)
	rows_begin load_rotated, 0
	rows_to_12 load_rotated, 0
	mtfsf	255, 31, 1, 0
	rows_to_16 load_rotated, 0
	rows_end load_rotated, 0
	addi	3, 3, 640
	rows_begin lvx, 0
	rows_to_12 lvx, 0
	mtvscr	31
	rows_to_16 lvx, 0
	rows_end lvx, 0
	blr
	end_function all_restore
