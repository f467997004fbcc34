# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Four blocks, three of which end in an indirect branch.
loop:	addi	3,3,1
	mtctr	14
	bctr
	.p2align 5
	addi	3,3,1
	mtctr	15
	bctr
	.p2align 5
	addi	3,3,1
	mtctr	16
	bctr
	.p2align 5
	addi	3,3,1
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
