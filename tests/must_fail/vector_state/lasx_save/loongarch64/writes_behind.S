/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thirty-third register is stored behind the area.
 *
 * assay-expect: fail wrote behind the area
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_save
	each_register xvst, xr, 32
	xvst	$xr0, $a0, 1056
	save_flags_in_register 1024
	save_control 1032
	ret
	end_function lasx_save
