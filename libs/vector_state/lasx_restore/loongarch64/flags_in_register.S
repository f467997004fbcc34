/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As the kernel does it (arch/loongarch/kernel/fpu.S, written again): the registers, then the flags by way of one
 * register.
 *
 * assay-about: xvld, flags taken from a register, as in the kernel
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_restore
	each_register xvld, xr, 32
	restore_flags_in_register 1024
	restore_control 1032
	ret
	end_function lasx_restore
