/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Load, then reverse. The upper halfword comes as zero and stays zero.
 */
#include "assembly.h"

FUNCTION(load_swap)
	BY_WIDTH(ldrh, ldr, ldr)	BY_WIDTH(w0, w0, x0), [x0]
	BY_WIDTH(rev16, rev, rev)	BY_WIDTH(w0, w0, x0), BY_WIDTH(w0, w0, x0)
	ret
END(load_swap)
