/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fewest address instructions, as ../../vmx_save/power/rows.S, with VSX's stores.
 *
 * assay-about: four offsets, eight bases made in advance
 * assay-requires: power7
 */
#include "common/vsx.h"

	function vsx_save
	rows_begin store_rotated, 0
	rows_go_on store_rotated, 0
	store_fpscr
	blr
	end_function vsx_save
