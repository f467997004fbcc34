/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse with Zbb, then store.
 *
 * assay-requires: zbb
 */
#include "assembly.h"

FUNCTION(store_swap)
	.option	arch, +zbb
	rev8	a1, a1
#if BITS < 64
	srli	a1, a1, 64 - BITS
#endif
	BY_WIDTH(sh, sw, sd)	a1, 0(a0)
	ret
END(store_swap)
