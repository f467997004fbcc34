# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# 2023 LoongArch thread, uint128: eight words a turn added as a tree, 35 instructions; the first 22 are in the order
# of the thread's disassembly, the rest is what the arithmetic still needs, as GCC 13.3 orders it.
sum:	ld.d	$t3, $t5, 8
	ld.d	$a6, $t5, 24
	ld.d	$t4, $t5, 40
	ld.d	$t6, $t5, 56
	ld.d	$t2, $t5, 0
	ld.d	$t1, $t5, 16
	ld.d	$a7, $t5, 32
	ld.d	$t0, $t5, 48
	add.d	$s0, $t3, $t2
	add.d	$t1, $a6, $t1
	add.d	$t0, $t6, $t0
	add.d	$a7, $t4, $a7
	sltu	$t6, $t0, $t6
	sltu	$t2, $s0, $t3
	sltu	$t4, $a7, $t4
	sltu	$a6, $t1, $a6
	add.d	$t3, $t4, $a7
	add.d	$t2, $t2, $s0
	add.d	$t4, $t6, $t0
	add.d	$t1, $a6, $t1
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
	addi.d	$t5, $t5, 64
	addi.w	$a1, $a1, -64
	add.d	$a2, $a2, $t3
	blt	$a5, $a1, sum
