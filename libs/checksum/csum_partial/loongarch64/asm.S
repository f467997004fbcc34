/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The 2023 thread's "asm method": the shape that MIPS has had for its csum_partial since the 1990s, in 64-bit
 * LoongArch instructions. Written anew after that shape (bibo-mao/bench, csum_partial.S), because the shape
 * determines its cost:
 *
 * - There is no carry flag, so adding with the carry brought round is three dependent instructions: add,
 *   sltu (the sum is below the addend if it wrapped), add.
 * - Words are added in pairs first, which can overlap, and the pairs then one after the other into the sum.
 *   128 bytes are 16 words, 8 pairs, so a chain of 8 x 3 instructions runs through each turn: 24 cycles.
 * - The address is aligned to 32 bytes by steps of 1, 2, 4, 8 and 16, each of which is a branch.
 * - Buffers shorter than 56 bytes, and the last 31 bytes, are summed by 4-byte words, each a link of the same chain
 *   of three: at 40 bytes that is ten links, so this form is the slowest of all there.
 *
 * No callee-saved register is used. Reads exactly the buffer's bytes.
 *
 * assay-about: MIPS's shape: 128 bytes a turn, pairs into a serial chain of eight add-with-carry (the thread's asm)
 */
#define data	$a0
#define left	$a1
#define initial	$a2
#define total	$t6
#define odd	$t7
#define carry	$t8

	/* \sum += \addend, carry brought round. */
	.macro	add_around sum, addend
	add.d	\sum, \sum, \addend
	sltu	carry, \sum, \addend
	add.d	\sum, \sum, carry
	.endm

	/* Four words from \offset on: two pairs, then two links of the chain. */
	.macro	sum_32_bytes offset
	ld.d	$t0, data, \offset
	ld.d	$t1, data, \offset + 8
	ld.d	$t2, data, \offset + 16
	ld.d	$t3, data, \offset + 24
	add_around $t0, $t1
	add_around $t2, $t3
	add_around total, $t0
	add_around total, $t2
	.endm

	.text
	.balign	32
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	move	total, $zero
	move	odd, $zero
	move	$t5, left
	sltui	$t4, left, 8
	bnez	$t4, .Lbelow_8

	/* A buffer at an odd address: its bytes are summed in the wrong halves, until the end. */
	andi	odd, data, 1
	beqz	odd, .Lto_4
	ld.bu	$t0, data, 0
	addi.d	left, left, -1
	slli.d	$t0, $t0, 8
	add_around total, $t0
	addi.d	data, data, 1
.Lto_4:
	andi	$t4, data, 2
	beqz	$t4, .Llong_enough
	ld.hu	$t0, data, 0
	addi.d	left, left, -2
	add_around total, $t0
	addi.d	data, data, 2
.Llong_enough:
	move	$t5, left
	sltui	$t4, left, 56
	bnez	$t4, .Lwords
	andi	$t4, data, 4
	beqz	$t4, .Lto_16
	ld.wu	$t0, data, 0
	addi.d	left, left, -4
	add_around total, $t0
	addi.d	data, data, 4
.Lto_16:
	andi	$t4, data, 8
	beqz	$t4, .Lto_32
	ld.d	$t0, data, 0
	addi.d	left, left, -8
	add_around total, $t0
	addi.d	data, data, 8
.Lto_32:
	andi	$t4, data, 16
	beqz	$t4, .Laligned
	ld.d	$t0, data, 0
	ld.d	$t1, data, 8
	add_around total, $t0
	add_around total, $t1
	addi.d	left, left, -16
	addi.d	data, data, 16

.Laligned:
	srli.d	$t5, left, 7
	beqz	$t5, .Lat_most_64
.Lturn:
	sum_32_bytes 0
	sum_32_bytes 32
	sum_32_bytes 64
	sum_32_bytes 96
	addi.d	$t5, $t5, -1
	addi.d	data, data, 128
	bnez	$t5, .Lturn

.Lat_most_64:
	andi	$t4, left, 64
	beqz	$t4, .Lat_most_32
	sum_32_bytes 0
	sum_32_bytes 32
	addi.d	data, data, 64
.Lat_most_32:
	andi	$t4, left, 32
	andi	$t5, left, 31
	beqz	$t4, .Lwords
	sum_32_bytes 0
	addi.d	data, data, 32

	/* $t5 bytes, fewer than 56, by words of 4. */
.Lwords:
	srli.d	$t4, $t5, 2
	andi	$t5, $t5, 3
	beqz	$t4, .Lbelow_8
.Lword:
	ld.wu	$t0, data, 0
	addi.d	$t4, $t4, -1
	add_around total, $t0
	addi.d	data, data, 4
	bnez	$t4, .Lword

	/* $t5 bytes, fewer than 8, at an address that may be odd only if the whole buffer is so short. */
.Lbelow_8:
	andi	$t4, $t5, 4
	andi	$t0, $t5, 2
	beqz	$t4, 1f
	ld.wu	$t1, data, 0
	addi.d	data, data, 4
	add_around total, $t1
1:	move	$t1, $zero
	andi	$t4, $t5, 1
	beqz	$t0, 1f
	ld.hu	$t1, data, 0
	addi.d	data, data, 2
1:	slli.d	$t1, $t1, 16
	beqz	$t4, 1f
	ld.bu	$t2, data, 0
	or	$t1, $t1, $t2
1:	add_around total, $t1

	/* 64 bits to 32 and to 16: the carries end up in the upper half, which is kept. */
	rotri.d	$t0, total, 32
	add.d	total, total, $t0
	srli.d	total, total, 32
	rotri.w	$t0, total, 16
	add.w	total, total, $t0
	bstrpick.d total, total, 31, 16
	beqz	odd, 1f
	revb.2h	total, total
1:	bstrpick.d initial, initial, 31, 0
	add.d	total, total, initial
	srli.d	$t0, total, 32
	add.w	$a0, total, $t0
	ret
	.size	csum_partial, . - csum_partial

	.section .note.GNU-stack, "", @progbits
