# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Four constants, each loaded from beside the code and added.
loop:	addpcis	22,0
	ld	22,0(22)
	add	14,14,22
	addpcis	23,0
	ld	23,0(23)
	add	15,15,23
	addpcis	24,0
	ld	24,0(24)
	add	16,16,24
	addpcis	25,0
	ld	25,0(25)
	add	17,17,25
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
