/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The posted batches (../../vmx_save/power/batch4.S), which were for AltiVec only, with VSX's stores and loads.
 *
 * assay-about: batches of four, two bases
 * assay-requires: power7
 */
#include "common/vsx.h"

	function vsx_restore
	load_fpscr
	batch	load_rotated, 0
	blr
	end_function vsx_restore
