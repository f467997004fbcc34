/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER10 loads two registers with one instruction.
 * In little-endian order the two registers of a pair are exchanged in memory, so the area is only for the other function
 * of the pair form: the file says so with a symbol, which the test (and whoever links) can see. In big-endian order the
 * layout is the usual one.
 *
 * assay-about: lxvp: 32 loads of 32 bytes
 * assay-requires: power10
 */
#include "common/vsx.h"

	function all_restore
	lxv	32, 640+VSCR_OFFSET(3)
	lfd	0, FPSCR_OFFSET(3)
	mtvscr	0
	mtfsf	255, 0, 1, 0
	.set	vs_offset, 0
	.irp	number, 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30
	lxvp	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 32
	.endr
	.set	vs_offset, 640
	.irp	number, 32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62
	lxvp	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 32
	.endr
	blr
	end_function all_restore

	.section .rodata
	.globl	all_restore_has_pairs_exchanged
all_restore_has_pairs_exchanged:
	.byte	1
