/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vr13 is loaded from vr12's slot.
 *
 * assay-expect: fail restore left wrong vr13
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_restore
	each_register vld, vr, 16
	vld	$vr13, $a0, 192
	restore_flags_in_register 512
	restore_control 520
	ret
	end_function lsx_restore
