/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Thirty-two bytes at a time with xxbrh, xxbrw and xxbrd of ISA 3.0, which need no control vector. lxv reverses the whole vector on
 * little endian; the elements stay whole, and stxv puts them back.
 *
 * assay-requires: power9
 */
#include "assembly.h"
#include "element.h"

FUNCTION(swap_buffer)
	srdi.	%r5, %r4, 5 - ELEMENT_SHIFT	/* pairs of vectors */
	beq	2f
	mtctr	%r5
1:	lxv	%vs34, 0(%r3)
	lxv	%vs35, 16(%r3)
	BY_WIDTH(xxbrh, xxbrw, xxbrd)	%vs34, %vs34
	BY_WIDTH(xxbrh, xxbrw, xxbrd)	%vs35, %vs35
	stxv	%vs34, 0(%r3)
	stxv	%vs35, 16(%r3)
	addi	%r3, %r3, 32
	bdnz	1b
2:	andi.	%r4, %r4, 256 / BITS - 1
	beqlr
	mtctr	%r4
3:	SWAP_ELEMENT
	bdnz	3b
	blr
END(swap_buffer)
