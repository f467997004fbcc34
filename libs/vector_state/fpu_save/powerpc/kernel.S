/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's order (store_fp_state without VSX, arch/powerpc/kernel/fpu.S, written again): the registers, then FPSCR through
 * f0, then f0 again, which was left out until 2023 (Linux 5e1d824f9a28).
 *
 * assay-about: stfd, FPSCR at the end, as in the kernel
 * assay-requires: fpu
 */
#include "common/fpu.h"

	function fpu_save
	stfd	0, FPR_AT(3)
	each_fpr_but_first stfd
	mffs	0
	stfd	0, FPSCR_OFFSET(3)
	lfd	0, FPR_AT(3)
	blr
	end_function fpu_save
