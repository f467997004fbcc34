/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER reverses in the store, in either byte order. For 64 bits the ABI gives the value an aligned register pair, r5 (high) and r6
 * (low); the low word reversed goes first.
 */
#include "assembly.h"

FUNCTION(store_swap)
#if BITS == 64
	li	%r7, 4
	stwbrx	%r6, 0, %r3
	stwbrx	%r5, %r3, %r7
#else
	BY_WIDTH(sthbrx, stwbrx, )	%r4, 0, %r3
#endif
	blr
END(store_swap)
