# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A general register moved in and out, four times.
loop:	mtvsrd	34,3
	mfvsrd	3,34
	mtvsrd	34,3
	mfvsrd	3,34
	mtvsrd	34,3
	mfvsrd	3,34
	mtvsrd	34,3
	mfvsrd	3,34
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
