/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As posted on linuxppc-dev in March 2016 ("Batch up loads/stores on saving and restoring Altivec", C. Bur), macro by
 * macro, with the same end as serial.S. One addition for four stores, to the base that is not used next.
 *
 * assay-about: batches of four, two bases: posted in 2016
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_save
	batch	stvx, 0
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function vmx_save
