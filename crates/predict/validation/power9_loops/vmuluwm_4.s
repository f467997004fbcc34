# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Vector products, four chains.
loop:	vmuluwm	2,2,20
	vmuluwm	3,3,20
	vmuluwm	4,4,20
	vmuluwm	5,5,20
	vmuluwm	2,2,20
	vmuluwm	3,3,20
	vmuluwm	4,4,20
	vmuluwm	5,5,20
	vmuluwm	2,2,20
	vmuluwm	3,3,20
	vmuluwm	4,4,20
	vmuluwm	5,5,20
	vmuluwm	2,2,20
	vmuluwm	3,3,20
	vmuluwm	4,4,20
	vmuluwm	5,5,20
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
