# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The loop of la_tree.s as it is when the address and the length go on right behind the loads, and the loads are in the
# order of their addresses: what an empty asm on both does to the C of bibo-mao/bench at e357b54.
sum:	ld.d	$t2, $t5, 0
	ld.d	$t3, $t5, 8
	ld.d	$t1, $t5, 16
	ld.d	$a6, $t5, 24
	ld.d	$a7, $t5, 32
	ld.d	$t4, $t5, 40
	ld.d	$t0, $t5, 48
	ld.d	$t6, $t5, 56
	addi.w	$a1, $a1, -64
	addi.d	$t5, $t5, 64
	add.d	$s0, $t3, $t2
	add.d	$t1, $a6, $t1
	add.d	$a7, $t4, $a7
	add.d	$t0, $t6, $t0
	sltu	$t2, $s0, $t3
	sltu	$a6, $t1, $a6
	sltu	$t4, $a7, $t4
	sltu	$t6, $t0, $t6
	add.d	$t2, $t2, $s0
	add.d	$t3, $t4, $a7
	add.d	$t1, $a6, $t1
	add.d	$t4, $t6, $t0
	add.d	$t6, $t2, $t1
	add.d	$t4, $t3, $t4
	sltu	$t1, $t6, $t2
	sltu	$t3, $t4, $t3
	add.d	$t6, $t6, $t1
	add.d	$t4, $t4, $t3
	add.d	$t3, $t6, $t4
	sltu	$t4, $t3, $t6
	add.d	$t3, $t3, $t4
	add.d	$a2, $a2, $t3
	sltu	$t3, $a2, $t3
	add.d	$a2, $a2, $t3
	blt	$a5, $a1, sum
