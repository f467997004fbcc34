/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Load, then reverse with Zbb.
 *
 * assay-requires: zbb
 */
#include "assembly.h"

FUNCTION(load_swap)
	.option	arch, +zbb
	BY_WIDTH(lhu, lwu, ld)	a0, 0(a0)
	rev8	a0, a0
#if BITS < 64
	srli	a0, a0, 64 - BITS
#endif
	ret
END(load_swap)
