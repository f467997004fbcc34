/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Only the lower half of register 9 is right; the upper half is a copy of it.
 *
 * assay-expect: fail restore left wrong vr9
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_restore
	each_register vld, vr, 16
	vreplvei.d $vr9, $vr9, 0
	restore_flags_in_register 512
	restore_control 520
	ret
	end_function lsx_restore
