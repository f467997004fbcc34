/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As rows, but VSCR and FPSCR are moved before the loads: each move waits for all older instructions, which here are two loads.
 * In rows the loads alone reach their bound; together with the moves this order takes fewer cycles.
 *
 * assay-about: as rows, the control registers first
 * assay-requires: power7
 */
#include "common/vsx.h"

	function all_restore
	li	4, 640+VSCR_OFFSET
	lvx	31, 3, 4
	lfd	31, FPSCR_OFFSET(3)
	mtvscr	31
	mtfsf	255, 31, 1, 0
	rows_begin load_rotated, 0
	rows_to_12 load_rotated, 0
	rows_to_16 load_rotated, 0
	rows_end load_rotated, 0
	addi	3, 3, 640
	rows_begin lvx, 0
	rows_to_12 lvx, 0
	rows_to_16 lvx, 0
	rows_end lvx, 0
	blr
	end_function all_restore
