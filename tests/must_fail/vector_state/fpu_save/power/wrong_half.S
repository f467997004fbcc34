/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The FPRs are stored in the doublewords of the VSRs' other halves: big-endian code on a little-endian machine, or the
 * other way round.
 *
 * assay-expect: fail the area
 */
#include "common/fpu.h"

	function fpu_save
	.set	vs_offset, 8 - FPR_AT
	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	stfd	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	mffs	0
	stfd	0, FPSCR_OFFSET(3)
	lfd	0, FPR_AT(3)
	blr
	end_function fpu_save
