/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As the kernel does it (arch/loongarch/kernel/fpu.S, written again): the registers, then the flags by way of one
 * register.
 *
 * assay-about: vld, flags taken from a register, as in the kernel
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_restore
	each_register vld, vr, 16
	restore_flags_in_register 512
	restore_control 520
	ret
	end_function lsx_restore
