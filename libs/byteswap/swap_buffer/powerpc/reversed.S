/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plain load and a reversed store for each element; of 64 bits, two words stored each in the place of the other.
 */
#include "assembly.h"

FUNCTION(swap_buffer)
	cmplwi	%r4, 0
	beqlr
	mtctr	%r4
#if BITS == 64
	li	%r7, 4
1:	lwz	%r5, 0(%r3)
	lwz	%r6, 4(%r3)
	stwbrx	%r6, 0, %r3
	stwbrx	%r5, %r3, %r7
#else
1:	BY_WIDTH(lhz, lwz, )	%r5, 0(%r3)
	BY_WIDTH(sthbrx, stwbrx, )	%r5, 0, %r3
#endif
	addi	%r3, %r3, BITS / 8
	bdnz	1b
	blr
END(swap_buffer)
