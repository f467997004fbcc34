/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER10 stores two registers, 32 bytes, with one instruction: 16 for v0 to v31.
 * In little-endian order the two registers of a pair are exchanged in memory, so the area is only for the other function
 * of the pair form: the file says so with a symbol, which the test (and whoever links) can see. In big-endian order the
 * layout is the usual one.
 *
 * assay-about: stxvp: 16 stores of 32 bytes
 * assay-requires: power10
 */
#include "common/vmx.h"

	function vmx_save
	.set	vs_offset, 0
	.irp	number, 32,34,36,38
	stxvp	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 32
	.endr
	mfvscr	0
	.irp	number, 40,42,44,46,48,50,52,54,56,58,60,62
	stxvp	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 32
	.endr
	stxv	32, VSCR_OFFSET(3)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	lxv	32, 0(3)
#else
	lxv	32, 16(3)
#endif
	blr
	end_function vmx_save

	.section .rodata
	.globl	vmx_save_has_pairs_exchanged
vmx_save_has_pairs_exchanged:
	.byte	1
