# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Four blocks, each with an addition and a conditional branch taken.
loop:	addi	3,3,1
	bne	7,.Lblock0
	.p2align 5
.Lblock0:
	addi	3,3,1
	bne	7,.Lblock1
	.p2align 5
.Lblock1:
	addi	3,3,1
	bne	7,.Lblock2
	.p2align 5
.Lblock2:
	addi	3,3,1
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
