# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A vector register moved out and in, four chains.
loop:	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	15,35
	mtvsrd	35,15
	mfvsrd	16,36
	mtvsrd	36,16
	mfvsrd	17,37
	mtvsrd	37,17
	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	15,35
	mtvsrd	35,15
	mfvsrd	16,36
	mtvsrd	36,16
	mfvsrd	17,37
	mtvsrd	37,17
	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	15,35
	mtvsrd	35,15
	mfvsrd	16,36
	mtvsrd	36,16
	mfvsrd	17,37
	mtvsrd	37,17
	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	15,35
	mtvsrd	35,15
	mfvsrd	16,36
	mtvsrd	36,16
	mfvsrd	17,37
	mtvsrd	37,17
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
