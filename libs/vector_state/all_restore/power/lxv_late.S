/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER9, for a core that lets loads pass mtvscr and mtfsf: as lxv, but both are moved behind 57 of the loads, and the halves of
 * the register file take turns. v0 and vs0, by way of which they come, are loaded last. Where a move waits for what is older, as
 * is guessed of POWER9, lxv takes fewer cycles.
 *
 * assay-about: as lxv, the control registers behind the loads
 * assay-requires: power9
 */
#include "common/vsx.h"

	.macro	pairs_of_halves from, to
	.set	vs_number, \from
	.rept	\to - \from
	lxv	vs_number, 16 * vs_number(3)
	lxv	vs_number + 32, 640 + 16 * vs_number(3)
	.set	vs_number, vs_number + 1
	.endr
	.endm

	function all_restore
	lxv	32, 640+VSCR_OFFSET(3)
	lfd	0, FPSCR_OFFSET(3)
	pairs_of_halves 1, 29
	lxv	29, 16*29(3)
	mtvscr	0
	mtfsf	255, 0, 1, 0
	lxv	61, 640+16*29(3)
	pairs_of_halves 30, 32
	lxv	0, 0(3)
	lxv	32, 640(3)
	blr
	end_function all_restore
