/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Store and load back with the bytes reversed, in a frame, because the 32-bit ABI has no red zone. Of two words, each is loaded
 * back into the other's register.
 */
#include "assembly.h"

FUNCTION(swap)
	stwu	%r1, -16(%r1)
	BY_WIDTH(sth, stw, stw)	%r3, 8(%r1)
#if BITS == 64
	stw	%r4, 12(%r1)
	addi	%r5, %r1, 8
	addi	%r6, %r1, 12
	lwbrx	%r4, 0, %r5
	lwbrx	%r3, 0, %r6
#else
	addi	%r4, %r1, 8
	BY_WIDTH(lhbrx, lwbrx, )	%r3, 0, %r4
#endif
	addi	%r1, %r1, 16
	blr
END(swap)
