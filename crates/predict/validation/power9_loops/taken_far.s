# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Four blocks 264 bytes apart, each with an addition.
loop:	addi	3,3,1
	b	.Lfar0
	.skip 256
.Lfar0:
	addi	3,3,1
	b	.Lfar1
	.skip 256
.Lfar1:
	addi	3,3,1
	b	.Lfar2
	.skip 256
.Lfar2:
	addi	3,3,1
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
