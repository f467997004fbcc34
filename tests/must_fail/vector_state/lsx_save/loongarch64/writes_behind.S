/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thirty-third register is stored behind the area.
 *
 * assay-expect: fail wrote behind the area
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_save
	each_register vst, vr, 16
	vst	$vr0, $a0, 528
	save_flags_in_register 512
	save_control 520
	ret
	end_function lsx_save
