# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# FPSCR read four times.
loop:	mffs	1
	mffs	1
	mffs	1
	mffs	1
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
