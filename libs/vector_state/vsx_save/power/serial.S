/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's form (SAVE_32VSRS in arch/powerpc/include/asm/ppc_asm.h, written again): an offset and a store for each register,
 * on little-endian machines between two exchanges.
 *
 * assay-about: li 16 * n; stxvd2x, as in the kernel
 * assay-requires: power7
 */
#include "common/vsx.h"

	function vsx_save
	serial	store_rotated, 0, 3, 4
	store_fpscr
	blr
	end_function vsx_save
