# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Four constants of 64 bits, each made by five instructions and added.
loop:	lis	22,0x1234
	ori	22,22,0x5678
	rldicr	22,22,32,31
	oris	22,22,0x1234
	ori	22,22,0x5678
	add	14,14,22
	lis	23,0x1234
	ori	23,23,0x5678
	rldicr	23,23,32,31
	oris	23,23,0x1234
	ori	23,23,0x5678
	add	15,15,23
	lis	24,0x1234
	ori	24,24,0x5678
	rldicr	24,24,32,31
	oris	24,24,0x1234
	ori	24,24,0x5678
	add	16,16,24
	lis	25,0x1234
	ori	25,25,0x5678
	rldicr	25,25,32,31
	oris	25,25,0x1234
	ori	25,25,0x5678
	add	17,17,25
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
