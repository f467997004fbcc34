/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The same as patched in 2016, SAVE_32VRS with six arguments.
 *
 * assay-requires: altivec
 */
#include <asm/ppc_asm.h>
#include <asm/asm-offsets.h>
#include <asm/export.h>

_GLOBAL(store_vr_state)
	SAVE_32VRS(r4,r5,r6,r7,r8,r3)
	mfvscr	v0
	li	r4, VRSTATE_VSCR
	stvx	v0, r4, r3
	lvx	v0, 0, r3
	blr
EXPORT_SYMBOL(store_vr_state)
