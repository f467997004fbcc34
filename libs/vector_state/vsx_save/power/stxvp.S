/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER10 stores two registers with one instruction.
 * In little-endian order the two registers of a pair are exchanged in memory, so the area is only for the other function
 * of the pair form: the file says so with a symbol, which the test (and whoever links) can see. In big-endian order the
 * layout is the usual one.
 *
 * assay-about: stxvp: 16 stores of 32 bytes
 * assay-requires: power10
 */
#include "common/vsx.h"

	function vsx_save
	stxvp	0, 0(3)
	mffs	0
	.set	vs_offset, 32
	.irp	number, 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30
	stxvp	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 32
	.endr
	stfd	0, FPSCR_OFFSET(3)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	lxv	0, 0(3)
#else
	lxv	0, 16(3)
#endif
	blr
	end_function vsx_save

	.section .rodata
	.globl	vsx_save_has_pairs_exchanged
vsx_save_has_pairs_exchanged:
	.byte	1
