/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As the kernel does it (arch/loongarch/kernel/fpu.S, written again): the registers, then the flags by way of one
 * register.
 *
 * assay-about: xvst, flags put together in a register, as in the kernel
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_save
	each_register xvst, xr, 32
	save_flags_in_register 1024
	save_control 1032
	ret
	end_function lasx_save
