/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ways to store and load v0 to v31, for 32-bit and 64-bit POWER: assembler macros, one for each addressing scheme.
 *
 * lvx and stvx have no displacement: their address is the sum of two registers, so the variants differ in how they
 * make addresses. The kernel writes the offset of each register into a scratch register first: 64 instructions for 32
 * registers. The patch of 2016 keeps four offsets and moves two bases: 44, and one to give the base back. Four
 * offsets and eight bases, all made in advance, take 42. With o offsets, of which zero is free (RA = 0), and b bases,
 * of which the first is given, o - 1 + b - 1 instructions make o * b addresses; 32 addresses need 10, the minimum for
 * sums of two registers.
 */
#ifndef VECTOR_STATE_VMX_H
#define VECTOR_STATE_VMX_H

#include "common/function.h"

#define VSCR_OFFSET 512

/* The kernel's form: an offset for each register. `operation` is stvx or lvx, or the like. */
	.macro	serial operation, first, base, scratch
	.set	vs_offset, 0
	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	li	\scratch, vs_offset
	\operation \number + \first, \base, \scratch
	.set	vs_offset, vs_offset + 16
	.endr
	.endm

	.macro	four operation, number, base
	\operation \number, \base, 4
	\operation \number + 1, \base, 5
	\operation \number + 2, \base, 6
	\operation \number + 3, \base, 7
	.endm

/* The posted form: offsets 0, 16, 32, 48 in r4 to r7, bases in r3 and r8, one of which moves while the other is used. */
	.macro	batch_begin operation, first
	addi	8, 3, 64
	li	4, 0
	li	5, 16
	li	6, 32
	li	7, 48
	four	\operation, \first, 3
	addi	3, 3, 128
	four	\operation, \first + 4, 8
	addi	8, 8, 128
	four	\operation, \first + 8, 3
	addi	3, 3, 128
	four	\operation, \first + 12, 8
	addi	8, 8, 128
	four	\operation, \first + 16, 3
	addi	3, 3, 128
	four	\operation, \first + 20, 8
	addi	8, 8, 128
	.endm

	.macro	batch operation, first
	batch_begin \operation, \first
	four	\operation, \first + 24, 3
	four	\operation, \first + 28, 8
	subi	3, 3, 384
	.endm

/* The reviewer's: the last two groups exchanged, "which will make base reuse quicker later". */
	.macro	batch_swapped operation, first
	batch_begin \operation, \first
	four	\operation, \first + 28, 8
	four	\operation, \first + 24, 3
	subi	3, 3, 384
	.endm

/*
 * Ours: offsets 16, 32, 48 in r4 to r6, and eight bases, each made once and well before its use: r3, r7 to r12 and r0, which
 * stands for a register only as the second operand. An addition follows a pair of stores: POWER8 cracks a vector store into
 * two operations, and a dispatch group with two consecutive ones has a slot left.
 */
	.macro	row_pair operation, first, base
	\operation \first, 0, \base
	\operation \first + 1, 4, \base
	.endm

	.macro	row operation, first, base
	row_pair \operation, \first, \base
	\operation \first + 2, 5, \base
	\operation \first + 3, 6, \base
	.endm

/*
 * In parts, because VSCR's instruction comes between two of them. The cpu files assume that it waits for all older instructions
 * and all younger ones wait for it, so it is placed where the older ones are in flight and stores go on draining meanwhile.
 */
	.macro	rows_begin operation, first
	li	4, 16
	li	5, 32
	li	6, 48
	row_pair \operation, \first, 3
	addi	7, 3, 64
	\operation \first + 2, 5, 3
	\operation \first + 3, 6, 3
	addi	8, 3, 128
	.endm

	.macro	rows_go_on operation, first
	rows_to_12 \operation, \first
	rows_to_16 \operation, \first
	rows_end \operation, \first
	.endm

	.macro	rows_to_12 operation, first
	row	\operation, \first + 4, 7
	addi	9, 3, 192
	row_pair \operation, \first + 8, 8
	addi	10, 3, 256
	\operation \first + 10, 5, 8
	\operation \first + 11, 6, 8
	addi	11, 3, 320
	.endm

	.macro	rows_to_16 operation, first
	row	\operation, \first + 12, 9
	addi	12, 3, 384
	.endm

	.macro	rows_end operation, first
	row_pair \operation, \first + 16, 10
	addi	0, 3, 448
	\operation \first + 18, 5, 10
	\operation \first + 19, 6, 10
	row	\operation, \first + 20, 11
	row	\operation, \first + 24, 12
	row	\operation, \first + 28, 0
	.endm

#endif
