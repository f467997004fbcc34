# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A vector stored and loaded, four chains.
loop:	stvx	2,0,22
	lvx	2,0,22
	stvx	3,0,22
	lvx	3,0,22
	stvx	4,0,22
	lvx	4,0,22
	stvx	5,0,22
	lvx	5,0,22
	stvx	2,0,22
	lvx	2,0,22
	stvx	3,0,22
	lvx	3,0,22
	stvx	4,0,22
	lvx	4,0,22
	stvx	5,0,22
	lvx	5,0,22
	stvx	2,0,22
	lvx	2,0,22
	stvx	3,0,22
	lvx	3,0,22
	stvx	4,0,22
	lvx	4,0,22
	stvx	5,0,22
	lvx	5,0,22
	stvx	2,0,22
	lvx	2,0,22
	stvx	3,0,22
	lvx	3,0,22
	stvx	4,0,22
	lvx	4,0,22
	stvx	5,0,22
	lvx	5,0,22
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
