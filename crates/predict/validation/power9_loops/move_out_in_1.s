# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A vector register moved out and in, one chain.
loop:	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	14,34
	mtvsrd	34,14
	mfvsrd	14,34
	mtvsrd	34,14
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
