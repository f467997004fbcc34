# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A general register moved in, added to, moved out, four times.
loop:	mtvsrd	34,3
	xvadddp	34,34,52
	mfvsrd	3,34
	mtvsrd	34,3
	xvadddp	34,34,52
	mfvsrd	3,34
	mtvsrd	34,3
	xvadddp	34,34,52
	mfvsrd	3,34
	mtvsrd	34,3
	xvadddp	34,34,52
	mfvsrd	3,34
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
