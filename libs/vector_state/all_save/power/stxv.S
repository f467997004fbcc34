/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER9: 64 stores with displacements; FPSCR and VSCR are read as soon as there is a free register for them.
 *
 * assay-about: stxv with displacement
 * assay-requires: power9
 */
#include "common/vsx.h"

	function all_save
	stxv	0, 0(3)
	stxv	32, 640(3)
	mffs	0
	mfvscr	0
	.set	vs_offset, 16
	.irp	number, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	stxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	.set	vs_offset, 640+16
	.irp	number, 33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63
	stxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	stfd	0, FPSCR_OFFSET(3)
	stxv	32, 640+VSCR_OFFSET(3)
	lxv	0, 0(3)
	lxv	32, 640(3)
	blr
	end_function all_save
