/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flags first, each by its own register and byte: eight independent pairs of instructions, while collecting them
 * in one register is a dependency chain.
 *
 * assay-about: vst, flags stored one by one
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_save
	save_flags_as_bytes 512
	save_control 520
	each_register vst, vr, 16
	ret
	end_function lsx_save
