/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's form (REST_32VSRS in arch/powerpc/include/asm/ppc_asm.h, written again): an offset and a load for each register,
 * on little-endian machines with an exchange.
 *
 * assay-about: li 16 * n; lxvd2x, as in the kernel
 * assay-requires: power7
 */
#include "common/vsx.h"

	function vsx_restore
	load_fpscr
	serial	load_rotated, 0, 3, 4
	blr
	end_function vsx_restore
