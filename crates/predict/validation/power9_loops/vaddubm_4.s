# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Vector additions, four chains.
loop:	vaddubm	2,2,20
	vaddubm	3,3,20
	vaddubm	4,4,20
	vaddubm	5,5,20
	vaddubm	2,2,20
	vaddubm	3,3,20
	vaddubm	4,4,20
	vaddubm	5,5,20
	vaddubm	2,2,20
	vaddubm	3,3,20
	vaddubm	4,4,20
	vaddubm	5,5,20
	vaddubm	2,2,20
	vaddubm	3,3,20
	vaddubm	4,4,20
	vaddubm	5,5,20
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
