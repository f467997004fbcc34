/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * f1, a floating-point register, is changed.
 *
 * assay-expect: fail restore left wrong vs1
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_restore
	li	4, VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	batch	lvx, 0
	lfd	1, 0(3)
	blr
	end_function vmx_restore
