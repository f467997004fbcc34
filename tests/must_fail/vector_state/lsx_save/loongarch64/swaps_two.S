/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers 20 and 21 are stored in each other's slots.
 *
 * assay-expect: fail save left wrong in the area vr20
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_save
	each_register vst, vr, 16
	vst	$vr21, $a0, 320
	vst	$vr20, $a0, 336
	save_flags_in_register 512
	save_control 520
	ret
	end_function lsx_save
