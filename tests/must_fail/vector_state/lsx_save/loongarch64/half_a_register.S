/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lower half of register 9 is stored twice: the halves above the 64th or 128th bit are what kernels and switches lost.
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
