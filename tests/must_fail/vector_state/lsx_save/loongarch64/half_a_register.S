/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lower half of register 9 is stored twice: kernels and context switches have lost the halves above bit 64 or 128.
 *
 * assay-expect: fail save left wrong in the area vr9
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_save
	each_register vst, vr, 16
	fst.d	$f9, $a0, 152
	save_flags_in_register 512
	save_control 520
	ret
	end_function lsx_save
