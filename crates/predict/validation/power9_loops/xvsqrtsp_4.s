# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Vector roots of single precision, four chains.
loop:	xvsqrtsp	34,34
	xvsqrtsp	35,35
	xvsqrtsp	36,36
	xvsqrtsp	37,37
	xvsqrtsp	34,34
	xvsqrtsp	35,35
	xvsqrtsp	36,36
	xvsqrtsp	37,37
	xvsqrtsp	34,34
	xvsqrtsp	35,35
	xvsqrtsp	36,36
	xvsqrtsp	37,37
	xvsqrtsp	34,34
	xvsqrtsp	35,35
	xvsqrtsp	36,36
	xvsqrtsp	37,37
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
