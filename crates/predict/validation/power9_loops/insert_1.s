# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A byte inserted by way of a general register, one chain.
loop:	mfvsrd	14,34
	mtvsrd	42,14
	vinsertb	2,10,7
	mfvsrd	14,34
	mtvsrd	42,14
	vinsertb	2,10,7
	mfvsrd	14,34
	mtvsrd	42,14
	vinsertb	2,10,7
	mfvsrd	14,34
	mtvsrd	42,14
	vinsertb	2,10,7
	mfvsrd	14,34
	mtvsrd	42,14
	vinsertb	2,10,7
	mfvsrd	14,34
	mtvsrd	42,14
	vinsertb	2,10,7
	mfvsrd	14,34
	mtvsrd	42,14
	vinsertb	2,10,7
	mfvsrd	14,34
	mtvsrd	42,14
	vinsertb	2,10,7
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
