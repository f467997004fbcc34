/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Only the lower half of register 9 is right; the upper half is a copy of it.
 *
 * assay-expect: fail restore left wrong xr9
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_restore
	each_register xvld, xr, 32
	vld	$vr9, $a0, 288
	xvpermi.q $xr9, $xr9, 0
	restore_flags_in_register 1024
	restore_control 1032
	ret
	end_function lasx_restore
