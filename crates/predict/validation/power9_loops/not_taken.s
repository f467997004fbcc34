# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Eight branches not taken, and the one that closes the loop.
loop:	beq	7,out
	beq	7,out
	beq	7,out
	beq	7,out
	beq	7,out
	beq	7,out
	beq	7,out
	beq	7,out
	addi	3,3,1
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
out:
	blr
