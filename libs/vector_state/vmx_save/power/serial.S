/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The form that the kernel has had since 2002 and has today (store_vr_state in arch/powerpc/kernel/vector.S, written again
 * here): an offset, a store, 32 times. The 64 instructions need no more than one scratch register. At the end v0 is loaded
 * again: until 2023 it was not, and with it the caller lost a register (Linux 5e1d824f9a28).
 *
 * assay-about: li 16 * n; stvx, as in the kernel
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_save
	serial	stvx, 0, 3, 4
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function vmx_save
