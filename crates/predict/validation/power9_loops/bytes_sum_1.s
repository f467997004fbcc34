# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The sum of bytes, one chain.
loop:	vspltisw	10,0
	vsum4ubs	2,2,10
	vsumsws	2,2,10
	vspltisw	10,0
	vsum4ubs	2,2,10
	vsumsws	2,2,10
	vspltisw	10,0
	vsum4ubs	2,2,10
	vsumsws	2,2,10
	vspltisw	10,0
	vsum4ubs	2,2,10
	vsumsws	2,2,10
	vspltisw	10,0
	vsum4ubs	2,2,10
	vsumsws	2,2,10
	vspltisw	10,0
	vsum4ubs	2,2,10
	vsumsws	2,2,10
	vspltisw	10,0
	vsum4ubs	2,2,10
	vsumsws	2,2,10
	vspltisw	10,0
	vsum4ubs	2,2,10
	vsumsws	2,2,10
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
