/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel with the patch of 2016, which batches the AltiVec half only.
 *
 * assay-about: the kernel with the posted batches: AltiVec batched, VSX serial
 * assay-requires: power7
 */
#include "common/vsx.h"

	function all_save
	serial	store_rotated, 0, 3, 4
	store_fpscr
	addi	3, 3, 640
	batch	stvx, 0
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function all_save
