/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fewest address instructions for both halves: the offsets are made once. The control registers first, for they go
 * through registers that are loaded afterwards.
 *
 * assay-about: four offsets, eight bases made in advance
 * assay-requires: power7
 */
#include "common/vsx.h"

	function all_restore
	li	4, 640+VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	load_fpscr
	rows_begin load_rotated, 0
	rows_go_on load_rotated, 0
	addi	3, 3, 640
	rows_begin lvx, 0
	rows_go_on lvx, 0
	blr
	end_function all_restore
