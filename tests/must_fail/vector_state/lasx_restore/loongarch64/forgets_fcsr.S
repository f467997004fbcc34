/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control register is not loaded.
 *
 * assay-expect: fail restore left wrong fcsr0
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_restore
	each_register xvld, xr, 32
	restore_flags_in_register 1024
	ret
	end_function lasx_restore
