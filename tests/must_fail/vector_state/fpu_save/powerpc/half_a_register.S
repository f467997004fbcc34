/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Only the first four of f9's eight bytes are stored; the others are zeroed.
 *
 * assay-expect: fail save left wrong in the area f9
 * assay-requires: fpu
 */
#include "common/fpu.h"

	function fpu_save
	stfd	0, FPR_AT(3)
	each_fpr_but_first stfd
	li	4, 0
	stw	4, 9 * 8 + 4(3)
	mffs	0
	stfd	0, FPSCR_OFFSET(3)
	lfd	0, FPR_AT(3)
	blr
	end_function fpu_save
