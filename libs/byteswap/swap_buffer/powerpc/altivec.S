/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * AltiVec loads and stores ignore the low four bits of the address, so single elements are done up to a multiple of 16.
 * A buffer whose elements straddle those multiples (its address is not a multiple of their size) never gets there and is done one
 * element at a time throughout. The control vector is 0, 1, 2, ... 15 with the element's bytes less one exclusive-ored into each.
 *
 * VRSAVE tells a kernel that saves vector registers lazily which ones are live; current kernels ignore it.
 *
 * assay-requires: altivec
 */
#include "assembly.h"

/* log2 of an element's bytes. */
#define ELEMENT_SHIFT BY_WIDTH(1, 2, 3)

/* One element at %r3, then advances to the next. */
#if BITS == 64
#define SWAP_ELEMENT \
	lwz %r5, 0(%r3); \
	lwz %r6, 4(%r3); \
	li %r7, 4; \
	stwbrx %r6, 0, %r3; \
	stwbrx %r5, %r3, %r7; \
	addi %r3, %r3, 8
#else
#define SWAP_ELEMENT \
	BY_WIDTH(lhz, lwz, ) %r5, 0(%r3); \
	BY_WIDTH(sthbrx, stwbrx, ) %r5, 0, %r3; \
	addi %r3, %r3, BITS / 8
#endif

FUNCTION(swap_buffer)
	andi.	%r6, %r3, BITS / 8 - 1
	bne	2f			/* straddling: all as single elements */
	neg	%r6, %r3
	rlwinm	%r6, %r6, 32 - ELEMENT_SHIFT, 28 + ELEMENT_SHIFT, 31	/* elements before the next multiple of 16 */
	cmplw	%r6, %r4
	bge	2f
	subf	%r4, %r6, %r4
	cmplwi	%r6, 0
	beq	5f
	mtctr	%r6
4:	SWAP_ELEMENT
	bdnz	4b
5:	srwi.	%r5, %r4, 4 - ELEMENT_SHIFT
	beq	2f
	mtctr	%r5
	li	%r6, 0
	lvsl	%v2, 0, %r6
	vspltisb %v3, BITS / 8 - 1
	vxor	%v2, %v2, %v3
1:	lvx	%v3, 0, %r3
	vperm	%v3, %v3, %v3, %v2
	stvx	%v3, 0, %r3
	addi	%r3, %r3, 16
	bdnz	1b
	rlwinm	%r4, %r4, 0, 28 + ELEMENT_SHIFT, 31	/* what is left of the last vector */
2:	cmplwi	%r4, 0
	beqlr
	mtctr	%r4
3:	SWAP_ELEMENT
	bdnz	3b
	blr
END(swap_buffer)
