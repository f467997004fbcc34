/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The body of lsx.S and lasx.S: a vector of 1 << VECTOR_SHIFT bytes at a time, in VECTOR, with V(instruction). vshuf4i shuffles
 * within groups of four by an immediate, so no control vector is needed: 0xb1 takes 1, 0, 3, 2 of each four, 0x1b takes 3, 2, 1, 0.
 * Eight bytes are two such groups of bytes, and then their words are exchanged.
 */
/* clang-format off */
#include "assembly.h"
#include "element.h"

#define COUNT_SHIFT (VECTOR_SHIFT - BY_WIDTH(1, 2, 3))

FUNCTION(swap_buffer)
	srli.d	$t1, $a1, COUNT_SHIFT
	andi	$a1, $a1, (1 << COUNT_SHIFT) - 1
	beqz	$t1, 2f
1:	V(ld)	VECTOR, $a0, 0
	V(shuf4i.b) VECTOR, VECTOR, BY_WIDTH(0xb1, 0x1b, 0x1b)
#if BITS == 64
	V(shuf4i.w) VECTOR, VECTOR, 0xb1
#endif
	V(st)	VECTOR, $a0, 0
	addi.d	$a0, $a0, 1 << VECTOR_SHIFT
	addi.d	$t1, $t1, -1
	bnez	$t1, 1b
2:	beqz	$a1, 4f
3:	SWAP_ELEMENT
	bnez	$a1, 3b
4:	jr	$ra
END(swap_buffer)
