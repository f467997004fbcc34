# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Conversions of single precision to words, one chain.
loop:	xvcvspsxws	34,34
	xvcvspsxws	34,34
	xvcvspsxws	34,34
	xvcvspsxws	34,34
	xvcvspsxws	34,34
	xvcvspsxws	34,34
	xvcvspsxws	34,34
	xvcvspsxws	34,34
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
