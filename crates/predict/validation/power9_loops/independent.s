# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Eight additions to eight registers.
loop:	add	14,14,4
	add	15,15,4
	add	16,16,4
	add	17,17,4
	add	18,18,4
	add	19,19,4
	add	20,20,4
	add	21,21,4
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
