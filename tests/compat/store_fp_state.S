/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In the manner of the kernel's fpu.S with VSX.
 *
 * assay-requires: power7
 */
#include <asm/ppc_asm.h>
#include <asm/asm-offsets.h>
#include <asm/export.h>

_GLOBAL(store_fp_state)
	SAVE_32VSRS(0, R4, R3)
	mffs	fr0
	stfd	fr0, FPSTATE_FPSCR(r3)
	REST_VSR(0, r4, r3)
	blr
EXPORT_SYMBOL(store_fp_state)
