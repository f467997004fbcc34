/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stxvp on a little-endian machine exchanges the registers of each pair, and the file does not say so. On a big-endian
 * machine, where stxvp keeps their order, v1 is stored over v0's slot instead.
 *
 * assay-expect: fail save left wrong in the area v
 * assay-requires: power10
 */
#include "common/vmx.h"

	function vmx_save
	.set	vs_offset, 0
	.irp	number, 32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62
	stxvp	\number, vs_offset(3)
	.set	vs_offset, vs_offset + 32
	.endr
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	stxv	33, 0(3)
#endif
	li	4, VSCR_OFFSET
	mfvscr	0
	stvx	0, 3, 4
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	lxv	33, 16(3)
	lxv	32, 0(3)
#else
	lxv	32, 16(3)
#endif
	blr
	end_function vmx_save
