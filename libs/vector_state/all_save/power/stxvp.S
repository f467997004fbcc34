/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER10 stores two registers with one instruction.
 * In little-endian order the two registers of a pair are exchanged in memory, so the area is only for the other function
 * of the pair form: the file says so with a symbol, which the test (and whoever links) can see. In big-endian order the
 * layout is the usual one.
 *
 * assay-about: stxvp: 32 stores of 32 bytes
 * assay-requires: power10
 */
#include "common/vsx.h"

	function all_save
	stxvp	0, 0(3)
	stxvp	32, 640(3)
	mffs	0
	mfvscr	0
	.set	vs_offset, 32
	.irp	number, 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30
	stxvp	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 32
	.endr
	.set	vs_offset, 640+32
	.irp	number, 34,36,38,40,42,44,46,48,50,52,54,56,58,60,62
	stxvp	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 32
	.endr
	stfd	0, FPSCR_OFFSET(3)
	stxv	32, 640+VSCR_OFFSET(3)
	lxvp	0, 0(3)
	lxvp	32, 640(3)
	blr
	end_function all_save

	.section .rodata
	.globl	all_save_has_pairs_exchanged
all_save_has_pairs_exchanged:
	.byte	1
