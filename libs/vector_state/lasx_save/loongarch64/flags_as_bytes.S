/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flags first, each by its own register and byte: eight independent pairs of instructions, while collecting them
 * in one register is a dependency chain.
 *
 * assay-about: xvst, flags stored one by one
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_save
	save_flags_as_bytes 1024
	save_control 1032
	each_register xvst, xr, 32
	ret
	end_function lasx_save
