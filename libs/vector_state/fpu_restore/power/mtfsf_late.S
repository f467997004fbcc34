/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * f1 to f31 first: a processor on which nothing younger executes before mtfsf has then done most of the loads.
 *
 * assay-about: lfd, then FPSCR
 * assay-requires: fpu
 */
#include "common/fpu.h"

	function fpu_restore
	lfd	0, FPSCR_OFFSET(3)
	each_fpr_but_first lfd
	MTFSF(0)
	lfd	0, FPR_AT(3)
	blr
	end_function fpu_restore
