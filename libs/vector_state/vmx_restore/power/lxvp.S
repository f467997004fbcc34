/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER10 loads two registers, 32 bytes, with one instruction: 16 for v0 to v31. VSCR is loaded through v0, which is loaded
 * last, and is moved when three pairs are in flight (lxv.S says why).
 * In little-endian order the two registers of a pair are exchanged in memory, so the area is only for the other function
 * of the pair form: the file says so with a symbol, which the test (and whoever links) can see. In big-endian order the
 * layout is the usual one.
 *
 * assay-about: lxvp: 16 loads of 32 bytes
 * assay-requires: power10
 */
#include "common/vmx.h"

	function vmx_restore
	lxv	32, VSCR_OFFSET(3)
	.set	vs_offset, 32
	.irp	number, 34,36,38
	lxvp	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 32
	.endr
	mtvscr	0
	.irp	number, 40,42,44,46,48,50,52,54,56,58,60,62
	lxvp	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 32
	.endr
	lxvp	32, 0(3)
	blr
	end_function vmx_restore

	.section .rodata
	.globl	vmx_restore_has_pairs_exchanged
vmx_restore_has_pairs_exchanged:
	.byte	1
