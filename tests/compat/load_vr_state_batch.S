/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In the manner of the kernel's vector.S as patched in 2016, REST_32VRS with six arguments.
 *
 * assay-requires: altivec
 */
#include <asm/ppc_asm.h>
#include <asm/asm-offsets.h>
#include <asm/export.h>

_GLOBAL(load_vr_state)
	li	r4, VRSTATE_VSCR
	lvx	v0, r4, r3
	mtvscr	v0
	REST_32VRS(r4,r5,r6,r7,r8,r3)
	blr
EXPORT_SYMBOL(load_vr_state)
