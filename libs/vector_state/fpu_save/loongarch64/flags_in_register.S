/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As the kernel does it (arch/loongarch/kernel/fpu.S, written again): the registers, then the flags by way of one
 * register.
 *
 * assay-about: fst.d, flags put together in a register, as in the kernel
 */
#include "common/loongarch.h"

	function fpu_save
	each_register fst.d, f, 8
	save_flags_in_register 256
	save_control 264
	ret
	end_function fpu_save
