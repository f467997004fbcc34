/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A store that reverses.
 *
 * assay-requires: movbe
 */
#include "assembly.h"

FUNCTION(store_swap)
	movbe	BY_WIDTH(%si, %esi, %rsi), (%rdi)
	ret
END(store_swap)
