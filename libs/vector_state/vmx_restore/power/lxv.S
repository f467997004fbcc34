/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER9's lxv has a displacement and knows all 64 vector registers (v0 is vs32): one instruction for each register.
 * VSCR is loaded through v0, which is loaded last. It is moved when two loads are in flight: its instruction is assumed to wait
 * for all older ones, so a later place makes it wait for more. Right after its load, the core's halves would get unequal work.
 *
 * assay-about: lxv with displacement: 32 loads and nothing else
 * assay-requires: power9
 */
#include "common/vmx.h"

	function vmx_restore
	lxv	32, VSCR_OFFSET(3)
	.set	vs_offset, 16
	.irp	number, 33,34
	lxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	mtvscr	0
	.irp	number, 35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63
	lxv	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 16
	.endr
	lxv	32, 0(3)
	blr
	end_function vmx_restore
