/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As posted on linuxppc-dev in March 2016, see ../../vmx_save/power/batch4.S.
 *
 * assay-about: batches of four, two bases: posted in 2016
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_restore
	li	4, VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	batch	lvx, 0
	blr
	end_function vmx_restore
