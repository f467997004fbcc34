/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sixteen bytes at a time with vperm and the VSX loads and stores of POWER7, which need no alignment.
 *
 * The control vector is 0, 1, 2, ... 15 (lvsl of an aligned address) with the element's bytes less one exclusive-ored into each: that
 * is the reversal within each element. On little endian, lxvd2x brings each doubleword's bytes in reverse order and the
 * doublewords in memory order; the elements still lie whole within their doubleword, so the same control serves, and the
 * store undoes the order.
 *
 * assay-requires: power7
 */
#include "assembly.h"
#include "element.h"

FUNCTION(swap_buffer)
	srdi.	%r5, %r4, 4 - ELEMENT_SHIFT	/* vectors */
	beq	2f
	mtctr	%r5
	li	%r6, 0
	lvsl	%v2, 0, %r6		/* an address that is a multiple of 16: 0, 1, ... 15 */
	vspltisb %v3, BITS / 8 - 1
	vxor	%v2, %v2, %v3
1:	lxvd2x	%vs35, 0, %r3
	vperm	%v3, %v3, %v3, %v2
	stxvd2x	%vs35, 0, %r3
	addi	%r3, %r3, 16
	bdnz	1b
2:	andi.	%r4, %r4, 128 / BITS - 1
	beqlr
	mtctr	%r4
3:	SWAP_ELEMENT
	bdnz	3b
	blr
END(swap_buffer)
