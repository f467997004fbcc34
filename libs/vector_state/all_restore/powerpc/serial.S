/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32-bit machines with AltiVec, which have no VSX: the FPRs, then v0 to v31 as in ../../vmx_restore/powerpc/serial.S.
 *
 * assay-about: lfd, then li 16 * n; lvx, as in the kernel
 * assay-requires: altivec
 */
#include "common/fpu.h"
#include "common/vmx.h"

	function all_restore
	lfd	0, FPSCR_OFFSET(3)
	MTFSF(0)
	lfd	0, FPR_AT(3)
	each_fpr_but_first lfd
	addi	3, 3, 384
	li	4, VSCR_OFFSET
	lvx	0, 3, 4
	mtvscr	0
	serial	lvx, 0, 3, 4
	blr
	end_function all_restore
