/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER9, for a core that lets loads pass mtfsf: as lxv, but FPSCR is moved behind the loads, by way of vs0, which is loaded last.
 * Where the move waits for what is older, as is guessed of POWER9, lxv takes fewer cycles.
 *
 * assay-about: as lxv, FPSCR last
 * assay-requires: power9
 */
#include "common/vsx.h"

	function vsx_restore
	lfd	0, FPSCR_OFFSET(3)
	.set	vs_offset, 16
	.irp	number, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	lxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	mtfsf	255, 0, 1, 0
	lxv	0, 0(3)
	blr
	end_function vsx_restore
