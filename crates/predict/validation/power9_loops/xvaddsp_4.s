# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Vector additions of single precision, four chains.
loop:	xvaddsp	34,34,52
	xvaddsp	35,35,52
	xvaddsp	36,36,52
	xvaddsp	37,37,52
	xvaddsp	34,34,52
	xvaddsp	35,35,52
	xvaddsp	36,36,52
	xvaddsp	37,37,52
	xvaddsp	34,34,52
	xvaddsp	35,35,52
	xvaddsp	36,36,52
	xvaddsp	37,37,52
	xvaddsp	34,34,52
	xvaddsp	35,35,52
	xvaddsp	36,36,52
	xvaddsp	37,37,52
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
