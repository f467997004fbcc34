# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sixteen divisions of vectors in four chains.
loop:	xvdivdp	34,34,52
	xvdivdp	35,35,52
	xvdivdp	36,36,52
	xvdivdp	37,37,52
	xvdivdp	34,34,52
	xvdivdp	35,35,52
	xvdivdp	36,36,52
	xvdivdp	37,37,52
	xvdivdp	34,34,52
	xvdivdp	35,35,52
	xvdivdp	36,36,52
	xvdivdp	37,37,52
	xvdivdp	34,34,52
	xvdivdp	35,35,52
	xvdivdp	36,36,52
	xvdivdp	37,37,52
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
