/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rev8 of Zbb reverses the whole register; the result is then at the top, and a logical right shift fills with zeros.
 *
 * assay-requires: zbb
 */
#include "assembly.h"

FUNCTION(swap)
	.option	arch, +zbb
	rev8	a0, a0
#if BITS < 64
	srli	a0, a0, 64 - BITS
#endif
	ret
END(swap)
