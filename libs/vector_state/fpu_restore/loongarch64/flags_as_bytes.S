/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flags first, each by its own byte and register: eight independent pairs of a load and a move.
 *
 * assay-about: fld.d, flags loaded one by one
 */
#include "common/loongarch.h"

	function fpu_restore
	restore_flags_as_bytes 256
	restore_control 264
	each_register fld.d, f, 8
	ret
	end_function fpu_restore
