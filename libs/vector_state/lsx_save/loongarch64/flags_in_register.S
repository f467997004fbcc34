/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As the kernel does it (arch/loongarch/kernel/fpu.S, written again): the registers, then the flags by way of one
 * register.
 *
 * assay-about: vst, flags put together in a register, as in the kernel
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_save
	each_register vst, vr, 16
	save_flags_in_register 512
	save_control 520
	ret
	end_function lsx_save
