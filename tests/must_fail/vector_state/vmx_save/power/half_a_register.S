/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Only half of v31 is stored, by two stvewx of a word each: a check of one doubleword misses that.
 *
 * assay-expect: fail save left wrong in the area v31
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_save
	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	li	4, 16 * \number
	stvx	\number, 3, 4
	.endr
	li	4, 16 * 31
	stvewx	31, 3, 4
	li	4, 16 * 31 + 4
	stvewx	31, 3, 4
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function vmx_save
