/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lower half of register 9 is stored twice: the halves above the 64th or 128th bit are what kernels and switches lost.
 *
 * assay-expect: fail save left wrong in the area xr9
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_save
	each_register xvst, xr, 32
	vst	$vr9, $a0, 304
	save_flags_in_register 1024
	save_control 1032
	ret
	end_function lasx_save
