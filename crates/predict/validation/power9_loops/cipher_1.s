# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The last round of a cipher, one chain.
loop:	vxor	2,2,20
	vcipherlast	2,2,21
	vsldoi	2,2,2,8
	vxor	2,2,20
	vcipherlast	2,2,21
	vsldoi	2,2,2,8
	vxor	2,2,20
	vcipherlast	2,2,21
	vsldoi	2,2,2,8
	vxor	2,2,20
	vcipherlast	2,2,21
	vsldoi	2,2,2,8
	vxor	2,2,20
	vcipherlast	2,2,21
	vsldoi	2,2,2,8
	vxor	2,2,20
	vcipherlast	2,2,21
	vsldoi	2,2,2,8
	vxor	2,2,20
	vcipherlast	2,2,21
	vsldoi	2,2,2,8
	vxor	2,2,20
	vcipherlast	2,2,21
	vsldoi	2,2,2,8
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
