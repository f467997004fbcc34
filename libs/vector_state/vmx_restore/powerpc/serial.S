/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's load_vr_state (arch/powerpc/kernel/vector.S), written again: VSCR through v0, then an offset and a load, 32
 * times.
 *
 * assay-about: li 16 * n; lvx, as in the kernel
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_restore
	li	4, VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	serial	lvx, 0, 3, 4
	blr
	end_function vmx_restore
