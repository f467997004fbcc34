# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Three slots loaded, a table looked up by two of them, three slots stored.
loop:	ld	3,0(6)
	ld	10,8(6)
	ld	11,16(6)
	xor	9,3,10
	rldicl	9,9,0,60
	sldi	9,9,3
	ldx	9,7,9
	srdi	3,3,8
	xor	3,3,9
	addi	10,10,1
	addi	11,11,1
	std	3,0(6)
	std	10,8(6)
	std	11,16(6)
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
