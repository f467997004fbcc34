# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Four roots and additions in one chain.
loop:	xssqrtdp	34,34
	xsadddp	34,34,52
	xssqrtdp	34,34
	xsadddp	34,34,52
	xssqrtdp	34,34
	xsadddp	34,34,52
	xssqrtdp	34,34
	xsadddp	34,34,52
	addi	5,5,-1
	cmpdi	5,0
	bne	loop
