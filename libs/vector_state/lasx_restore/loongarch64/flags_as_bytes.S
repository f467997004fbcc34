/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flags first, each by its own byte and register: eight independent pairs of a load and a move.
 *
 * assay-about: xvld, flags loaded one by one
 * assay-requires: lasx
 */
#include "common/loongarch.h"

	function lasx_restore
	restore_flags_as_bytes 1024
	restore_control 1032
	each_register xvld, xr, 32
	ret
	end_function lasx_restore
