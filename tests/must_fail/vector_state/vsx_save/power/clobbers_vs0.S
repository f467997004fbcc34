/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FPSCR is stored through f0, which is restored, but the other half of vs0 is not.
 *
 * assay-expect: fail save clobbered
 */
#include "common/fpu.h"
#include "common/vsx.h"

	function vsx_save
	rows_begin store_rotated, 0
	rows_go_on store_rotated, 0
	mffs	0
	stfd	0, FPSCR_OFFSET(3)
	lfd	0, FPR_AT(3)
	blr
	end_function vsx_save
