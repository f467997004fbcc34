/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel does when it restores everything: both serial forms, one after the other.
 *
 * assay-about: li 16 * n; lxvd2x, lvx, as in the kernel
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
	serial	lvx, 0, 3, 4
	blr
	end_function all_restore
