/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * VSCR is not stored.
 *
 * assay-expect: fail save left wrong in the area VSCR
 * assay-requires: altivec
 */
#include "common/vmx.h"

	function vmx_save
	batch	stvx, 0
	blr
	end_function vmx_save
