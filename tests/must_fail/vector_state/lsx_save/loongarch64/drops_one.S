/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vr12 is stored in vr13's slot: a copied line with a number left unchanged.
 *
 * assay-expect: fail save left wrong in the area vr13
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_save
	each_register vst, vr, 16
	vst	$vr12, $a0, 208
	save_flags_in_register 512
	save_control 520
	ret
	end_function lsx_save
