/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER9's stxv has a displacement and knows all 64 vector registers (v0 is vs32): one instruction for each register, no
 * address to make, and in little-endian order the same bytes as stvx. VSCR is read after twenty stores, which go on
 * draining meanwhile (common/vmx.h).
 *
 * assay-about: stxv with displacement: 32 stores and nothing else
 * assay-requires: power9
 */
#include "common/vmx.h"

	function vmx_save
	.set	vs_offset, 0
	.irp	number, 32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51
	stxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	mfvscr	0
	.irp	number, 52,53,54,55,56,57,58,59,60,61,62,63
	stxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	stxv	32, VSCR_OFFSET(3)
	lxv	32, 0(3)
	blr
	end_function vmx_save
