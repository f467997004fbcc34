/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mffs waits for what may still change FPSCR, and on most cores takes several clocks besides. So it is asked for as soon as f0
 * is stored, and its answer when all other registers are.
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
