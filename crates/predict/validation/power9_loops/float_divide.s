# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sixteen divisions in four chains.
loop:	xsdivdp	34,34,52
	xsdivdp	35,35,52
	xsdivdp	36,36,52
	xsdivdp	37,37,52
	xsdivdp	34,34,52
	xsdivdp	35,35,52
	xsdivdp	36,36,52
	xsdivdp	37,37,52
	xsdivdp	34,34,52
	xsdivdp	35,35,52
	xsdivdp	36,36,52
	xsdivdp	37,37,52
	xsdivdp	34,34,52
	xsdivdp	35,35,52
	xsdivdp	36,36,52
	xsdivdp	37,37,52
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
