/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel does when everything is live: both serial forms, one after the other.
 *
 * assay-about: li 16 * n; stxvd2x, stvx, as in the kernel
 * assay-requires: power7
 */
#include "common/vsx.h"

	function all_save
	serial	store_rotated, 0, 3, 4
	store_fpscr
	addi	3, 3, 640
	serial	stvx, 0, 3, 4
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function all_save
