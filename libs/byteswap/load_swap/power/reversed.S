/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER reverses in the load, in either byte order.
 *
 * assay-requires: power7
 */
#include "assembly.h"

FUNCTION(load_swap)
	BY_WIDTH(lhbrx, lwbrx, ldbrx)	%r3, 0, %r3
	blr
END(load_swap)
