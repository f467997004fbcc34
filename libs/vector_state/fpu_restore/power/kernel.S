/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's order (load_fp_state without VSX, arch/powerpc/kernel/fpu.S, written again): FPSCR through f0, then the
 * registers.
 *
 * assay-about: FPSCR first, then lfd, as in the kernel
 * assay-requires: fpu
 */
#include "common/fpu.h"

	function fpu_restore
	lfd	0, FPSCR_OFFSET(3)
	MTFSF(0)
	lfd	0, FPR_AT(3)
	each_fpr_but_first lfd
	blr
	end_function fpu_restore
