/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lower half of register 9 is stored twice: kernels and context switches have lost the halves above bit 64 or 128.
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
