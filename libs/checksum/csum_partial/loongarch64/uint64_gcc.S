/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The 2023 thread's "uint64" as its machine executed it. Alpha has used this form since the 1990s, one word an iteration with
 * the carry of the iteration before, and GCC compiles it to six instructions for eight bytes; the thread prints them. A
 * dependency chain of three (add, add, sltu) runs through the iterations: three cycles a word.
 *
 * generic/uint64.c does the same, but clang lays the short parts out otherwise, and at 40 bytes these are most of the
 * time. Here they have GCC's order (GCC 13.3 -O2 on the thread's benchmark, bibo-mao/bench at 26141b2): each test of the
 * address and of the length is a branch that an aligned buffer of whole words takes, fourteen taken branches in all at
 * 40 bytes. The loop begins at a multiple of 16 bytes, as in the thread's listing (0x120000d90).
 *
 * assay-about: 64-bit words, each step adds the last one's carry (the thread's uint64), laid out as GCC does
 */
#define data	$a0
#define left	$a1
#define initial	$a2
#define total	$t0
#define count	$t1
#define end	$t2
#define odd	$t3
#define carry	$t4
#define word	$t5

	.text
	.balign	32
	.globl	csum_partial
	.type	csum_partial, @function
csum_partial:
	blez	left, .Lnothing
	andi	odd, data, 1
	move	total, $zero
	beqz	odd, .Lto_4
	ld.bu	total, data, 0
	addi.w	left, left, -1
	addi.d	data, data, 1
	slli.d	total, total, 8
.Lto_4:
	srli.w	count, left, 1
	beqz	count, .Lbyte
	andi	word, data, 2
	beqz	word, .Lto_8
	ld.hu	word, data, 0
	addi.w	count, count, -1
	addi.w	left, left, -2
	add.d	total, total, word
	addi.d	data, data, 2
.Lto_8:
	srli.w	count, count, 1
	beqz	count, .Lhalf
	andi	word, data, 4
	beqz	word, .Laligned
	ld.wu	word, data, 0
	addi.w	count, count, -1
	addi.w	left, left, -4
	add.d	total, total, word
	addi.d	data, data, 4
.Laligned:
	srli.w	count, count, 1
	beqz	count, .Lword
	alsl.d	end, count, data, 3
	move	carry, $zero
	.balign	16
.Lturn:
	ld.d	word, data, 0
	add.d	total, total, carry
	addi.d	data, data, 8
	add.d	total, word, total
	sltu	carry, total, word
	bne	data, end, .Lturn
	add.d	total, total, carry
	bstrpick.d count, total, 31, 0
	srli.d	total, total, 32
	add.d	total, count, total
.Lword:
	andi	count, left, 4
	beqz	count, .Lhalf
	ld.wu	word, data, 0
	addi.d	data, data, 4
	add.d	total, total, word
.Lhalf:
	andi	count, left, 2
	beqz	count, .Lbyte
	ld.hu	word, data, 0
	addi.d	data, data, 2
	add.d	total, total, word
.Lbyte:
	andi	left, left, 1
	beqz	left, .Lfold
	ld.bu	word, data, 0
	add.d	total, total, word

	/* At most 34 bits are left; halves are added until they fit into 16. */
.Lfold:
	bstrpick.d count, total, 15, 0
	bstrpick.d word, total, 31, 16
	srli.d	total, total, 32
	add.d	count, count, word
	add.d	total, count, total
	bstrpick.d count, total, 15, 0
	srli.d	total, total, 16
	add.d	total, count, total
	bstrpick.d count, total, 31, 16
	add.d	total, total, count
	bstrpick.d total, total, 15, 0
	beqz	odd, .Leven
	revb.2h	total, total
.Leven:
	bstrpick.d initial, initial, 31, 0
	add.d	total, total, initial
	srli.d	initial, total, 32
	add.w	$a0, total, initial
	ret
.Lnothing:
	move	$a0, initial
	ret
	.size	csum_partial, . - csum_partial

	.section .note.GNU-stack, "", @progbits
