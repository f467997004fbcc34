# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A rounding mode set for one instruction of three, four times.
loop:	mffscrni	2,1
	xsrdpic	34,34
	mffscrn	3,1
	xsadddp	34,34,52
	mffscrni	2,1
	xsrdpic	34,34
	mffscrn	3,1
	xsadddp	34,34,52
	mffscrni	2,1
	xsrdpic	34,34
	mffscrn	3,1
	xsadddp	34,34,52
	mffscrni	2,1
	xsrdpic	34,34
	mffscrn	3,1
	xsadddp	34,34,52
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
