/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER9: a displacement, and the right order.
 *
 * assay-about: lxv with displacement
 * assay-requires: power9
 */
#include "common/vsx.h"

	function vsx_restore
	load_fpscr
	.set	vs_offset, 0
	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	lxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	blr
	end_function vsx_restore
