/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Only the half of each VSR that is the FPR is stored, as by a context switch written before VSX.
 *
 * assay-expect: fail save left wrong in the area vs0
 */
#include "common/fpu.h"
#include "common/vsx.h"

	function vsx_save
	.set	vs_offset, FPR_AT
	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	stfd	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	store_fpscr
	blr
	end_function vsx_save
