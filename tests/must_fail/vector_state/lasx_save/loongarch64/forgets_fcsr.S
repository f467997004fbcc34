/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control register is not stored.
 *
 * assay-expect: fail save left wrong in the area fcsr0
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_save
	each_register xvst, xr, 32
	save_flags_in_register 1024
	ret
	end_function lasx_save
