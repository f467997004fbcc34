/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The condition flags are not stored.
 *
 * assay-expect: fail save left wrong in the area fcc0-fcc7
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_save
	each_register xvst, xr, 32
	save_control 1032
	ret
	end_function lasx_save
