/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit machines with AltiVec, which have no VSX: the FPRs, then v0 to v31 as in ../../vmx_save/powerpc/batch4.S.
 *
 * assay-about: stfd, then the posted batches
 * assay-requires: altivec
 */
#include "common/fpu.h"
#include "common/vmx.h"

	function all_save
	stfd	0, FPR_AT(3)
	each_fpr_but_first stfd
	mffs	0
	stfd	0, FPSCR_OFFSET(3)
	lfd	0, FPR_AT(3)
	addi	3, 3, 384
	batch	stvx, 0
	mfvscr	0
	li	4, VSCR_OFFSET
	stvx	0, 3, 4
	lvx	0, 0, 3
	blr
	end_function all_save
