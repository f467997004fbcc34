/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control register is not loaded.
 *
 * assay-expect: fail restore left wrong fcsr0
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_restore
	each_register vld, vr, 16
	restore_flags_in_register 512
	ret
	end_function lsx_restore
