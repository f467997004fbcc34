/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER9: a displacement, and the right order. FPSCR is read as soon as vs0 is stored.
 *
 * assay-about: stxv with displacement
 * assay-requires: power9
 */
#include "common/vsx.h"

	function vsx_save
	stxv	0, 0(3)
	mffs	0
	.set	vs_offset, 16
	.irp	number, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	stxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	stfd	0, FPSCR_OFFSET(3)
	lxv	0, 0(3)
	blr
	end_function vsx_save
