/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER9: 64 loads with displacements. FPSCR is loaded through vs0 and VSCR through v0. Both are moved first and together,
 * since each move waits for all older instructions: between loads, each would wait for the loads before it.
 *
 * assay-about: lxv with displacement
 * assay-requires: power9
 */
#include "common/vsx.h"

	function all_restore
	lxv	32, 640+VSCR_OFFSET(3)
	lfd	0, FPSCR_OFFSET(3)
	mtvscr	0
	mtfsf	255, 0, 1, 0
	.set	vs_offset, 0
	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	lxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	.set	vs_offset, 640
	.irp	number, 32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63
	lxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	blr
	end_function all_restore
