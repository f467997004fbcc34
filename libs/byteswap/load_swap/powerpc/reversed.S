/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER reverses in the load, in either byte order. Of 64 bits, the word at the lower address, high on this big-endian machine,
 * becomes the low one (r4).
 */
#include "assembly.h"

FUNCTION(load_swap)
#if BITS == 64
	li	%r5, 4
	lwbrx	%r4, 0, %r3
	lwbrx	%r3, %r3, %r5
#else
	BY_WIDTH(lhbrx, lwbrx, )	%r3, 0, %r3
#endif
	blr
END(load_swap)
