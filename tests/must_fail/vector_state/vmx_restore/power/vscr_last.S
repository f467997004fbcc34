/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * VSCR is loaded through v0 after v0 has been restored.
 *
 * assay-expect: fail restore left wrong v0
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_restore
	batch	lvx, 0
	li	4, VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	blr
	end_function vmx_restore
