/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The 2023 thread's "uint128", merged in 6.4, as its machine executed it. generic/uint128.c says how the sum is made;
 * here is what GCC makes of it on a machine without a carry flag (GCC 13.3 -O2 on the thread's benchmark, bibo-mao/bench
 * at 26141b2; the loop begins with the loads in the order that the thread prints and at a multiple of 16 bytes, as
 * there). Two things of the layout matter at 40 bytes: the path of a short buffer comes after the function's other code and
 * jumps back, and there are no branches on the alignment. The multiplication after the loop by pairs is GCC's, too.
 *
 * Eight words an iteration: added in pairs, each pair's carry found by a compare and added, the pairs added as a tree. Only
 * the last add, sltu, add depend on the previous iteration, so the bound is the front end and the issue queue, not a
 * dependency chain.
 *
 * assay-about: pairs of words as 128-bit numbers, added as a tree (the thread's uint128), laid out as GCC does
 * assay-reads: aligned-words
 */
#define data	$a0
#define left	$a1
#define initial	$a2
#define total	$a3
#define held	$a4
#define shift	$a5
#define odd	$a6
#define limit	$a7
#define cursor	$t5
#define end	$t6

	/* \sum += \addend, carry brought round. */
	.macro	add_around sum, addend
	add.d	\sum, \sum, \addend
	sltu	$t8, \sum, \addend
	add.d	\sum, \sum, $t8
	.endm

	.text
	.balign	32
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	blez	left, .Lnothing
	andi	shift, data, 7
	sub.d	$t0, data, shift
	ld.d	held, $t0, 0
	andi	odd, data, 1
	addi.w	left, left, -8
	add.w	left, left, shift
	slli.w	shift, shift, 3
	srl.d	held, held, shift
	li.w	limit, 64
	addi.d	data, $t0, 8
	sll.d	held, held, shift
	bge	limit, left, .Lshort
	move	total, $zero

	.balign	16
.Lturn:
	ld.d	$t0, data, 8
	ld.d	$t1, data, 24
	ld.d	$t2, data, 40
	ld.d	$t3, data, 56
	ld.d	$t4, data, 0
	ld.d	$t5, data, 16
	ld.d	$t6, data, 32
	ld.d	$t7, data, 48
	add.d	$t4, $t0, $t4
	add.d	$t5, $t1, $t5
	add.d	$t6, $t2, $t6
	add.d	$t7, $t3, $t7
	sltu	$t0, $t4, $t0
	sltu	$t1, $t5, $t1
	sltu	$t2, $t6, $t2
	sltu	$t3, $t7, $t3
	add.d	$t0, $t0, $t4
	add.d	$t1, $t1, $t5
	add.d	$t2, $t2, $t6
	add.d	$t3, $t3, $t7
	add.d	$t1, $t0, $t1
	add.d	$t3, $t2, $t3
	sltu	$t0, $t1, $t0
	sltu	$t2, $t3, $t2
	add.d	$t0, $t0, $t1
	add.d	$t2, $t2, $t3
	add.d	$t2, $t0, $t2
	sltu	$t0, $t2, $t0
	add.d	$t0, $t0, $t2
	add.d	total, $t0, total
	sltu	$t0, total, $t0
	addi.d	data, data, 64
	addi.w	left, left, -64
	add.d	total, $t0, total
	blt	limit, left, .Lturn

	/*
	 * Sixteen bytes an iteration: the word held back and the next; the one after that is held back instead. GCC keeps
	 * only a cursor, and after the loop computes address and length again from the number of iterations, which takes
	 * eleven instructions, one of them a multiplication.
	 */
.Lpairs:
	li.w	limit, 8
	bge	limit, left, .Llast_whole
	move	cursor, data
	slli.w	$t7, left, 0
	add.w	end, data, left
	li.w	limit, 8
.Lpair:
	ld.d	$t0, cursor, 0
	add_around total, held
	ld.d	held, cursor, 8
	addi.d	cursor, cursor, 16
	add_around total, $t0
	sub.w	$t1, end, cursor
	blt	limit, $t1, .Lpair
	addi.w	$t0, $t7, -9
	srli.w	$t0, $t0, 4
	li.w	$t1, -16
	mul.w	$t1, $t0, $t1
	addi.w	$t0, $t0, 1
	bstrpick.d $t0, $t0, 31, 0
	alsl.d	$t0, $t0, $zero, 4
	addi.w	left, left, -16
	add.d	data, data, $t0
	add.w	left, $t1, left
.Llast_whole:
	blez	left, .Llast
	add_around total, held
	ld.d	held, data, 0
	addi.w	left, left, -8

	/* The last word without the -left bytes behind the buffer's end. */
.Llast:
	slli.w	$t0, left, 3
	sub.w	$t0, $zero, $t0
	sll.d	held, held, $t0
	srl.d	held, held, $t0
	add_around total, held
	rotri.d	$t0, total, 32
	add.d	total, $t0, total
	srai.d	total, total, 32
	rotri.w	$t0, total, 16
	add.w	total, $t0, total
	bstrpick.d total, total, 31, 16
	bnez	odd, .Lodd
.Ladd_initial:
	bstrpick.d initial, initial, 31, 0
	add.d	total, total, initial
	srli.d	initial, total, 32
	add.w	$a0, total, initial
	ret

.Lodd:
	revb.2h	total, total
	b	.Ladd_initial
.Lnothing:
	move	$a0, initial
	ret
.Lshort:
	move	total, $zero
	b	.Lpairs
	.size	csum_partial, . - csum_partial

	.section .note.GNU-stack, "", @progbits
