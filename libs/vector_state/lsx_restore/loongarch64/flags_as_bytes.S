/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flags first, each by its own byte and register: eight independent pairs of a load and a move.
 *
 * assay-about: vld, flags loaded one by one
 * assay-requires: lsx
 */
#include "common/loongarch.h"

	function lsx_restore
	restore_flags_as_bytes 512
	restore_control 520
	each_register vld, vr, 16
	ret
	end_function lsx_restore
