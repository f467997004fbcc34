/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * batch4.S with the change that its reviewer asked for.
 *
 * assay-about: batches of four, the last two groups exchanged, as reviewed
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_restore
	li	4, VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	batch_swapped lvx, 0
	blr
	end_function vmx_restore
