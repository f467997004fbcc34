# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Four roundings and additions in one chain.
loop:	xsrdpic	34,34
	xsadddp	34,34,52
	xsrdpic	34,34
	xsadddp	34,34,52
	xsrdpic	34,34
	xsadddp	34,34,52
	xsrdpic	34,34
	xsadddp	34,34,52
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
