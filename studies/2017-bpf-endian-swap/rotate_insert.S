/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The register form of the 2017 thread: each doubleword of a buffer is swapped by rotates and inserts. Fifteen instructions an
 * element; what it measures is the fixed-point units.
 *
 * A program for powerpc64le without a C library, so that nothing but the loop is executed: _start calls main and exits.
 * Entry of main to its blr is ROUNDS * ROUNDS_FACTOR * (ELEMENTS * 15 + 4) + 13 instructions: 16,060,023,053 as posted. perf
 * printed 16,043,732,849 for the whole process, with the loader and libc in it and from a counter that was live two thirds of the
 * time.
 *
 * Kept from the thread: the order and the registers of all instructions, the frame of 32760 bytes (so that the buffer
 * starts 32 bytes above an address that is 8 modulo 16), the buffer that is never initialised. -DROUNDS_FACTOR=1 makes
 * it an eighth as long.
 *
 *   clang-19 --target=powerpc64le-linux-gnu -mcpu=pwr8 -nostdlib -static -fuse-ld=lld rotate_insert.S -o rotate_insert
 *   qemu-ppc64le rotate_insert
 */
#ifndef ROUNDS_FACTOR
#define ROUNDS_FACTOR	8
#endif
#define ROUNDS		32720	/* times ROUNDS_FACTOR: outer rounds */
#define BYTES		32720	/* of buffer: 4090 elements of 8 */
#define FRAME		32760

	.abiversion 2
	.text
	.globl	_start
	.type	_start, @function
_start:
	bl	main
	li	0, 1			/* exit, status in r3 */
	sc
	.size	_start, . - _start

	.balign	4
	.globl	main
	.type	main, @function
main:
	mflr	0
	std	0, 16(1)
	stdu	1, -FRAME(1)
	addi	3, 1, 32		/* the buffer */
	li	4, 0
	li	5, BYTES
	li	11, ROUNDS
	mulli	11, 11, ROUNDS_FACTOR
	li	10, 0
.Lelement:
	ldx	6, 3, 4
	rldicl	7, 6, 32, 32
	rlwinm	8, 6, 24, 0, 31
	rlwimi	8, 6, 8, 8, 15
	rlwinm	9, 7, 24, 0, 31
	rlwimi	8, 6, 8, 24, 31
	rlwimi	9, 7, 8, 8, 15
	rlwimi	9, 7, 8, 24, 31
	rldicr	8, 8, 32, 31
	or	6, 8, 9
	stdx	6, 3, 4
	addi	4, 4, 8
	cmpd	4, 5
	beq	.Lround
	b	.Lelement
.Lround:
	addi	10, 10, 1
	li	4, 0
	cmpd	10, 11
	beq	.Ldone
	b	.Lelement
.Ldone:
	li	3, 0
	addi	1, 1, FRAME
	ld	0, 16(1)
	mtlr	0
	blr
	.size	main, . - main

	.section .note.GNU-stack, "", @progbits
