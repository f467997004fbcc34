/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel with the patch of 2016, which batches the AltiVec half only.
 *
 * assay-about: the kernel with the posted batches: AltiVec batched, VSX serial
 * assay-requires: power7
 */
#include "common/vsx.h"

	function all_restore
	load_fpscr
	serial	load_rotated, 0, 3, 4
	addi	3, 3, 640
	li	4, VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	batch	lvx, 0
	blr
	end_function all_restore
