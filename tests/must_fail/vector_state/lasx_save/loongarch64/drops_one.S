/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xr12 is stored in xr13's slot: a copied line with a number left unchanged.
 *
 * assay-expect: fail save left wrong in the area xr13
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_save
	each_register xvst, xr, 32
	xvst	$xr12, $a0, 416
	save_flags_in_register 1024
	save_control 1032
	ret
	end_function lasx_save
