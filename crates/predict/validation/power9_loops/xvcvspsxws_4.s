# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Conversions of single precision to words, four chains.
loop:	xvcvspsxws	34,34
	xvcvspsxws	35,35
	xvcvspsxws	36,36
	xvcvspsxws	37,37
	xvcvspsxws	34,34
	xvcvspsxws	35,35
	xvcvspsxws	36,36
	xvcvspsxws	37,37
	xvcvspsxws	34,34
	xvcvspsxws	35,35
	xvcvspsxws	36,36
	xvcvspsxws	37,37
	xvcvspsxws	34,34
	xvcvspsxws	35,35
	xvcvspsxws	36,36
	xvcvspsxws	37,37
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
