/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * v13 is not loaded.
 *
 * assay-expect: fail restore left wrong v13
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_restore
	li	4, VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	li	4, 16 * \number
	lvx	\number, 3, 4
	.endr
	blr
	end_function vmx_restore
