/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers 20 and 21 are stored in each other's slots.
 *
 * assay-expect: fail save left wrong in the area xr20
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_save
	each_register xvst, xr, 32
	xvst	$xr21, $a0, 640
	xvst	$xr20, $a0, 672
	save_flags_in_register 1024
	save_control 1032
	ret
	end_function lasx_save
