# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# 2023 LoongArch thread, uint64: one word a turn, the carry goes into the next sum; from the thread's disassembly.
sum:	ld.d	$t4, $t3, 0
	add.d	$t0, $t0, $t5
	addi.d	$t3, $t3, 8
	add.d	$t0, $t4, $t0
	sltu	$t5, $t0, $t4
	bne	$t3, $t6, sum
