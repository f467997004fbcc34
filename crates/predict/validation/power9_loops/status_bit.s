# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A bit of FPSCR cleared four times.
loop:	mtfsb0	25
	mtfsb0	25
	mtfsb0	25
	mtfsb0	25
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
