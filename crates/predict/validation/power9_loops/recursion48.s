# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A function that calls itself, 48 deep.
loop:	li	8,48
	bl	f
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
f:
	addi	3,3,1
	addi	8,8,-1
	cmpdi	8,0
	beq	out
	mflr	0
	stdu	0,-16(6)
	bl	f
	ld	0,0(6)
	addi	6,6,16
	mtlr	0
out:
	blr
