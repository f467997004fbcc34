/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER reverses in the store, in either byte order.
 *
 * assay-requires: power7
 */
#include "assembly.h"

FUNCTION(store_swap)
	BY_WIDTH(sthbrx, stwbrx, stdbrx)	%r4, 0, %r3
	blr
END(store_swap)
