/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * batch4.S with the change that its reviewer asked for (M. Neuling): the last two groups are exchanged, so that the
 * second-last base is free earlier. Only the order of the stores differs.
 *
 * assay-about: batches of four, the last two groups exchanged, as reviewed
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_save
	batch_swapped stvx, 0
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function vmx_save
