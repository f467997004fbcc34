# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Half a vector stored, the whole loaded, one chain.
loop:	mfvsrd	14,34
	std	14,0(6)
	lvx	2,0,22
	mfvsrd	14,34
	std	14,0(6)
	lvx	2,0,22
	mfvsrd	14,34
	std	14,0(6)
	lvx	2,0,22
	mfvsrd	14,34
	std	14,0(6)
	lvx	2,0,22
	mfvsrd	14,34
	std	14,0(6)
	lvx	2,0,22
	mfvsrd	14,34
	std	14,0(6)
	lvx	2,0,22
	mfvsrd	14,34
	std	14,0(6)
	lvx	2,0,22
	mfvsrd	14,34
	std	14,0(6)
	lvx	2,0,22
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
