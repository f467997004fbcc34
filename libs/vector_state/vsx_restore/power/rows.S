/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fewest address instructions, as ../../vmx_restore/power/rows.S, with VSX's loads.
 *
 * assay-about: four offsets, eight bases made in advance
 * assay-requires: power7
 */
#include "common/vsx.h"

	function vsx_restore
	load_fpscr
	rows_begin load_rotated, 0
	rows_go_on load_rotated, 0
	blr
	end_function vsx_restore
