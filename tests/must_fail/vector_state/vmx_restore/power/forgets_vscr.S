/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * VSCR is not loaded.
 *
 * assay-expect: fail restore left wrong VSCR
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_restore
	batch	lvx, 0
	blr
	end_function vmx_restore
