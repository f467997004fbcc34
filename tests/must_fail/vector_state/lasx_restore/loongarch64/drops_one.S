/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * xr13 is loaded from xr12's slot.
 *
 * assay-expect: fail restore left wrong xr13
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_restore
	each_register xvld, xr, 32
	xvld	$xr13, $a0, 384
	restore_flags_in_register 1024
	restore_control 1032
	ret
	end_function lasx_restore
