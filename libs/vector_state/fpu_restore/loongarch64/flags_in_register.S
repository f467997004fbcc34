/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As the kernel does it (arch/loongarch/kernel/fpu.S, written again): the registers, then the flags by way of one
 * register.
 *
 * assay-about: fld.d, flags taken from a register, as in the kernel
 */
#include "common/loongarch.h"

	function fpu_restore
	each_register fld.d, f, 8
	restore_flags_in_register 256
	restore_control 264
	ret
	end_function fpu_restore
