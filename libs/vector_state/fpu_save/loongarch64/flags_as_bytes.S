/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flags first, each by its own register and byte: eight independent pairs of instructions, while collecting them
 * in one register is a dependency chain.
 *
 * assay-about: fst.d, flags stored one by one
 */
#include "common/loongarch.h"

	function fpu_save
	save_flags_as_bytes 256
	save_control 264
	each_register fst.d, f, 8
	ret
	end_function fpu_save
