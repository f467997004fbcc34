/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The condition flags are not stored.
 *
 * assay-expect: fail save left wrong in the area fcc0-fcc7
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_save
	each_register vst, vr, 16
	save_control 520
	ret
	end_function lsx_save
