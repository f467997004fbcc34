# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A vector stored, half of it loaded, one chain.
loop:	stvx	2,0,22
	ld	14,0(6)
	mtvsrd	34,14
	stvx	2,0,22
	ld	14,0(6)
	mtvsrd	34,14
	stvx	2,0,22
	ld	14,0(6)
	mtvsrd	34,14
	stvx	2,0,22
	ld	14,0(6)
	mtvsrd	34,14
	stvx	2,0,22
	ld	14,0(6)
	mtvsrd	34,14
	stvx	2,0,22
	ld	14,0(6)
	mtvsrd	34,14
	stvx	2,0,22
	ld	14,0(6)
	mtvsrd	34,14
	stvx	2,0,22
	ld	14,0(6)
	mtvsrd	34,14
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
