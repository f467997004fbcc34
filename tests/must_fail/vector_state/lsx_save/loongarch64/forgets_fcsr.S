/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control register is not stored.
 *
 * assay-expect: fail save left wrong in the area fcsr0
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_save
	each_register vst, vr, 16
	save_flags_in_register 512
	ret
	end_function lsx_save
