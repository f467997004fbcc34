/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In the manner of the kernel's vector.S, SAVE_32VRS with three arguments.
 *
 * assay-requires: altivec
 */
#include <asm/ppc_asm.h>
#include <asm/asm-offsets.h>
#include <asm/export.h>

_GLOBAL(store_vr_state)
	SAVE_32VRS(0, r4, r3)
	mfvscr	v0
	li	r4, VRSTATE_VSCR
	stvx	v0, r4, r3
	lvx	v0, 0, r3
	blr
EXPORT_SYMBOL(store_vr_state)
