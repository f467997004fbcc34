# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Vector roots of single precision, one chain.
loop:	xvsqrtsp	34,34
	xvsqrtsp	34,34
	xvsqrtsp	34,34
	xvsqrtsp	34,34
	xvsqrtsp	34,34
	xvsqrtsp	34,34
	xvsqrtsp	34,34
	xvsqrtsp	34,34
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
