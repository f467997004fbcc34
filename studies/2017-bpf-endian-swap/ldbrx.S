/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory form of the 2017 thread: each doubleword of a buffer is stored to the stack, loaded back with ldbrx, and stored
 * to the buffer. Eight instructions an element; what it measures is store-to-load forwarding.
 *
 * A program for powerpc64le without a C library, so that nothing but the loop is executed: _start calls main and exits.
 * Entry of main to its blr is ROUNDS * ROUNDS_FACTOR * (ELEMENTS * 8 + 4) + 14 instructions: 8,565,834,254 as posted. perf
 * printed 8,565,963,861 for the whole process, with the loader and libc in it and from a counter that was live two thirds of the
 * time.
 *
 * Kept from the thread: the order and the registers of all instructions, the frame of 32760 bytes (so that the buffer
 * starts 32 bytes above an address that is 8 modulo 16), the buffer that is never initialised. -DROUNDS_FACTOR=1 makes
 * it an eighth as long.
 *
 *   clang-19 --target=powerpc64le-linux-gnu -mcpu=pwr8 -nostdlib -static -fuse-ld=lld ldbrx.S -o ldbrx
 *   qemu-ppc64le ldbrx
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
	li	7, 16			/* offset of the doubleword to go through, from r1 */
.Lelement:
	ldx	6, 3, 4
	stdx	6, 1, 7
	ldbrx	6, 1, 7
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
