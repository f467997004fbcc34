// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The two loops of Naveen N. Rao's mail of January 2017 on in-register byte swaps in the BPF JIT, written anew: 4090
// doublewords are swapped in place, OUTER times. Through memory (8 instructions, 4 accesses for each doubleword), or
// with -DIN_REGISTER by rotates and inserts (15 instructions, 2 accesses). The mail has OUTER = 261760.

#ifndef OUTER
#define OUTER 261760
#endif

	.abiversion 2
	.text
	.globl	_start
_start:
	lis	10, OUTER@h
	ori	10, 10, OUTER@l
	stdu	1, -32760(1)
	addi	3, 1, 32
	li	5, 32720
	li	7, 16
2:	li	4, 0
#ifdef IN_REGISTER
1:	ldx	6, 3, 4
	rldicl	7, 6, 32, 32
	rotlwi	8, 6, 24
	rlwimi	8, 6, 8, 8, 15
	rotlwi	9, 7, 24
	rlwimi	8, 6, 8, 24, 31
	rlwimi	9, 7, 8, 8, 15
	rlwimi	9, 7, 8, 24, 31
	sldi	8, 8, 32
	or	6, 8, 9
	stdx	6, 3, 4
#else
1:	ldx	6, 3, 4
	stdx	6, 1, 7
	ldbrx	6, 1, 7
	stdx	6, 3, 4
#endif
	addi	4, 4, 8
	cmpd	4, 5
	beq	3f
	b	1b
3:	addi	10, 10, -1
	cmpdi	10, 0
	bne	2b
	li	3, 0
	li	0, 234
	sc
