/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mffs waits for older instructions that may still change FPSCR, and on most cores takes several clocks besides. So it follows
 * the store of f0, and its result is stored after all other registers.
 *
 * assay-about: stfd, FPSCR asked for after the first store
 * assay-requires: fpu
 */
#include "common/fpu.h"

	function fpu_save
	stfd	0, FPR_AT(3)
	mffs	0
	each_fpr_but_first stfd
	stfd	0, FPSCR_OFFSET(3)
	lfd	0, FPR_AT(3)
	blr
	end_function fpu_save
