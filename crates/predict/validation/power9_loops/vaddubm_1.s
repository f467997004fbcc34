# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Vector additions, one chain.
loop:	vaddubm	2,2,20
	vaddubm	2,2,20
	vaddubm	2,2,20
	vaddubm	2,2,20
	vaddubm	2,2,20
	vaddubm	2,2,20
	vaddubm	2,2,20
	vaddubm	2,2,20
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
